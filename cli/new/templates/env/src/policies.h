#pragma once

#include <park/core/policy.h>
#include <park/core/registry.h>

#include "layout.h"

namespace project::newenv {

/// Serves jobs in their order of arrival.
class FirstCome final : public park::RowPolicy {
 public:
  [[nodiscard]] static park::PolicyInfo info();
  explicit FirstCome(const park::Spec& spec)
      : layout_(park::bind_layout<SingleServerLayout>(spec)) {}

 private:
  void choose(const park::Ask&, park::ConstRow observation, park::Row action) override;

  SingleServerLayout layout_;
};

struct ShortestConfig {
  double aging = 0;

  bool operator==(const ShortestConfig&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("aging", self.aging,
          park::FieldDoc{.doc = "size that a second of waiting makes up for; large: first come",
                         .min = 0,
                         .max = 1000,
                         .tune = "0:1:0.1"});
  }
};

/// Serves the job with the least size - aging x wait. With aging = 0 no rule that does not
/// interrupt services has a smaller mean response time; with more, large jobs wait less.
class Shortest final : public park::RowPolicy {
 public:
  using Config = ShortestConfig;
  [[nodiscard]] static park::PolicyInfo info();
  Shortest(const Config& config, const park::Spec& spec)
      : layout_(park::bind_layout<SingleServerLayout>(spec)), aging_(config.aging) {}

 private:
  void choose(const park::Ask&, park::ConstRow observation, park::Row action) override;

  SingleServerLayout layout_;
  double aging_;
};

}  // namespace project::newenv
