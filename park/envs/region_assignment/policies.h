#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/region_assignment/layout.h"
#include "park/envs/region_assignment/price_learning.h"

namespace park::region_assignment {

/// The choices of one row. Elements are counted from 0.
class RegionChoices {
 public:
  RegionChoices(const RegionLayout&, ConstRow);

  [[nodiscard]] std::size_t size() const noexcept { return mask_.size(); }
  [[nodiscard]] bool legal(std::size_t e) const noexcept { return mask_[e] != 0; }
  [[nodiscard]] bool rejects(std::size_t e) const noexcept { return reject_[e] != 0; }
  [[nodiscard]] double cost(std::size_t e) const noexcept { return cost_[e]; }
  [[nodiscard]] double used_share(std::size_t e) const noexcept { return used_share_[e]; }
  /// In 0 .. kMaxRegions, in every row.
  [[nodiscard]] std::size_t number(std::size_t e) const noexcept;
  [[nodiscard]] double weight() const noexcept { return weight_; }

 private:
  std::span<const std::uint8_t> mask_, reject_;
  std::span<const std::int32_t> number_;
  std::span<const float> cost_, used_share_;
  double weight_;
};

/// A policy that takes the legal choice of the least cost, plus a price of the capacity that the
/// account would use. A row without a legal choice is nobody's question; it gets the first one.
class PricePolicy : public RowPolicy {
 protected:
  explicit PricePolicy(const Spec& spec) : layout_(bind_layout<RegionLayout>(spec)) {}
  /// A new row.
  virtual void begin(const RegionLayout&, ConstRow) {}
  /// Price of a unit of weight in the region of an element, which is not the choice to reject.
  [[nodiscard]] virtual double price(const RegionChoices&, std::size_t element) const = 0;

 private:
  void choose(const Ask&, ConstRow observation, Row action) final;
  RegionLayout layout_;
};

/// The cheapest region with free capacity.
class Cheapest final : public PricePolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit Cheapest(const Spec& spec) : PricePolicy(spec) {}

 private:
  [[nodiscard]] double price(const RegionChoices&, std::size_t) const override { return 0; }
};

struct ExponentialPriceConfig {
  double full = 0.5;
  double base = 20;

  bool operator==(const ExponentialPriceConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("full", c.full,
          FieldDoc{.doc = "price of a unit of weight in a region that is full",
                   .min = 0,
                   .max = 1000,
                   .tune = "0:3:0.25"});
    visit("base", c.base,
          FieldDoc{.doc = "b in the price full (b^u - 1) / (b - 1) at the used share u",
                   .min = 1,
                   .max = 1e6,
                   .tune = "1.01|2|10|100|1000",
                   .open_min = true});
  }
};

/// A price that rises exponentially with the used share of a region.
/// Source: J. Aspnes et al., On-Line Routing of Virtual Circuits with Applications to Load
/// Balancing and Machine Scheduling, Journal of the ACM 44(3), 1997; N. Buchbinder, J. Naor, The
/// Design of Competitive Online Algorithms via a Primal-Dual Approach, 2009.
class ExponentialPrice final : public PricePolicy {
 public:
  using Config = ExponentialPriceConfig;
  [[nodiscard]] static PolicyInfo info();
  ExponentialPrice(const Config& c, const Spec& spec) : PricePolicy(spec), config_(c) {}

 private:
  [[nodiscard]] double price(const RegionChoices&, std::size_t element) const override;
  ExponentialPriceConfig config_;
};

struct LearnedPricesConfig {
  std::int32_t days = 4;
  std::uint64_t seed = 1;
  double scale = 1;

  bool operator==(const LearnedPricesConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("days", c.days,
          FieldDoc{.doc = "episodes that the prices are learned from", .min = 1, .max = 100});
    visit("seed", c.seed, FieldDoc{.doc = "of these episodes"});
    visit("scale", c.scale,
          FieldDoc{.doc = "what the learned prices are multiplied by",
                   .min = 0,
                   .max = 100,
                   .tune = "0:2:0.2"});
  }
};

/// Shadow prices of other days of the same configuration. See LearnedPrices.
class LearnedPricesPolicy final : public PricePolicy {
 public:
  using Config = LearnedPricesConfig;
  [[nodiscard]] static PolicyInfo info();
  /// Throws Error{unavailable} where the spec has no text: other days are those of a configuration.
  LearnedPricesPolicy(const Config&, const Spec&);

 private:
  void begin(const RegionLayout&, ConstRow) override;
  [[nodiscard]] double price(const RegionChoices&, std::size_t element) const override;

  LearnedPrices learned_;
  double scale_;
  std::vector<double> prices_;  // of the row, [regions]
};

}  // namespace park::region_assignment
