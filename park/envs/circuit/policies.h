// The policies of circuit. Sizing binds the layout of either kind of action and writes actions. Human
// and Coordinate decide from rows. Search plays an Optimiser (optimisers.h), which proposes designs
// and is told their scores. The policies are registered by register_env, and streams call them
// through Policy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/circuit/layout.h"

namespace park::circuit {

/// The layout of a spec of either kind of action.
class Sizing {
 public:
  /// Throws Error{invalid_space} as bind_layout does.
  explicit Sizing(const Spec&);

  [[nodiscard]] bool absolute() const noexcept { return places_.has_value(); }
  [[nodiscard]] const SizingLayout& layout() const noexcept {
    return places_ ? static_cast<const SizingLayout&>(*places_) : *steps_;
  }
  [[nodiscard]] Positions position(ConstRow) const;
  /// Goes to a design; with action=step one grid step towards it, where it is half a step away.
  void go(const Positions& to, ConstRow, Row action) const;

 private:
  std::optional<StepLayout> steps_;
  std::optional<AbsoluteLayout> places_;
};

/// The published design.
class Human final : public RowPolicy {
 public:
  static PolicyInfo info();
  explicit Human(const Spec& spec) : sizing_(spec) {}

 private:
  void choose(const Ask&, ConstRow, Row) override;
  Sizing sizing_;
};

struct CoordinateConfig {
  double step = 0.2, shrink = 0.5;
  bool operator==(const CoordinateConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("step", c.step,
          FieldDoc{.doc = "first step, as a share of a parameter's range",
                   .min = 0.001,
                   .max = 1,
                   .tune = "0.05|0.1|0.2|0.3|0.5"});
    visit("shrink", c.shrink,
          FieldDoc{.doc = "factor of the step after a round over all parameters without a gain",
                   .min = 0.1,
                   .max = 0.9});
  }
};

/// Changes one parameter at a time, up and then down, and keeps what is better.
class Coordinate final : public RowPolicy {
 public:
  using Config = CoordinateConfig;
  static PolicyInfo info();
  Coordinate(const Config& c, const Spec& spec) : config_(c), sizing_(spec) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;

 private:
  struct Slot {
    Positions best{};
    double score = 0, step = 0;
    std::size_t trial = 0;   // 2 x parameter, + 1: down
    std::size_t failed = 0;  // trials without a gain, one after the other
    bool tried = false;
  };
  void choose(const Ask&, ConstRow, Row) override;
  Config config_;
  Sizing sizing_;
  std::vector<Slot> slots_;
};

/// An optimiser that proposes designs in [0, 1]^10 and is told their scores.
class Optimiser {
 public:
  virtual ~Optimiser() = default;
  /// A new episode that begins at a design, with so many simulations left.
  virtual void begin(const Positions&, double score, std::int32_t simulations, Rng) = 0;
  [[nodiscard]] virtual const Positions& ask() = 0;
  /// The score of what was asked last.
  virtual void tell(double score) = 0;
};

struct CmaEsConfig {
  double sigma = 0.3;
  std::int32_t population = 10;
  bool operator==(const CmaEsConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("sigma", c.sigma,
          FieldDoc{.doc = "first deviation, as a share of a parameter's range",
                   .min = 0.001,
                   .max = 1,
                   .tune = "0.1|0.2|0.3|0.5"});
    visit("population", c.population,
          FieldDoc{.doc = "designs of a generation; doubled at a restart",
                   .min = 4,
                   .max = 1000,
                   .tune = "4|6|10|16"});
  }
};

struct DifferentialEvolutionConfig {
  std::int32_t population = 40;
  double weight = 0.5, crossover = 0.9;
  bool operator==(const DifferentialEvolutionConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("population", c.population,
          FieldDoc{.doc = "designs; at most a quarter of the simulations, at least 6",
                   .min = 6,
                   .max = 1000});
    visit("weight", c.weight,
          FieldDoc{.doc = "of a difference", .min = 0, .max = 2, .tune = "0.1|0.3|0.5|0.8"});
    visit("crossover", c.crossover,
          FieldDoc{.doc = "probability that a parameter is the mutant's",
                   .min = 0,
                   .max = 1,
                   .tune = "0|0.1|0.3|0.6|0.9"});
  }
};

/// Plays an optimiser. Needs action=absolute: throws Error{unavailable} otherwise.
template <class O>
class Search final : public RowPolicy {
 public:
  using Config = typename O::Config;
  static PolicyInfo info() { return O::info(); }
  Search(const Config& c, const Spec& spec) : config_(c), sizing_(spec) {
    if (!sizing_.absolute())
      throw Error(Errc::unavailable,
                  info().name + " needs the head 'position' of circuit(action=absolute)");
  }
  void start(std::uint32_t slot, const Episode&, Rng rng) override {
    while (slots_.size() <= slot) slots_.push_back({O(config_), Rng(), false});
    slots_[slot].rng = rng;
    slots_[slot].begun = false;
  }

 private:
  struct Slot {
    O optimiser;
    Rng rng;
    bool begun = false;
  };
  void choose(const Ask& ask, ConstRow row, Row action) override {
    Slot& slot = slots_[ask.slot];
    const SizingLayout& l = sizing_.layout();
    if (!slot.begun)
      slot.optimiser.begin(sizing_.position(row), row.scalar(l.score), row.scalar(l.left),
                           slot.rng);
    else
      slot.optimiser.tell(row.scalar(l.score));
    slot.begun = true;
    sizing_.go(slot.optimiser.ask(), row, action);
  }

  Config config_;
  Sizing sizing_;
  std::vector<Slot> slots_;
};

}  // namespace park::circuit
