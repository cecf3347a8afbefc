#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "agents/heuristic/dag_scheduling/weighted_share.h"
#include "park/core/config.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct WeightedFairConfig {
  double alpha = -1;
  bool operator==(const WeightedFairConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("alpha", self.alpha,
          FieldDoc{.doc = "exponent of a job's total work in its share; 0: equal shares",
                   .min = -10,
                   .max = 10,
                   .tune = "-2:2:0.1"});
  }
};

/// Weighted fair sharing with a tuned exponent (Mao et al. 2019, sec. 7.1 (5), alpha in -2, -1.9,
/// ..., 2); the rule is that of WeightedShare. Inside a job: the first runnable stage, else the
/// first legal one. Class of executors: best fit.
class WeightedFair final : public RowPolicy {
 public:
  using Config = WeightedFairConfig;
  static PolicyInfo info() {
    return {.name = "weighted_fair",
            .summary = "shares proportional to a power of a job's total work",
            .reference = "Mao et al. 2019, sec. 7.1 (5)",
            .environments = {"dag_scheduling"}};
  }
  WeightedFair(const Config& config, const Spec& spec) : RowPolicy(spec), share_(config.alpha) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    return share_.choose(view, [&](std::size_t job) { return view.pick_first(job); });
  }
  WeightedShare share_;
};

}  // namespace park::heuristics
