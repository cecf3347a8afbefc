#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Shortest job first, inside a job the critical path first (Mao et al. 2019, sec. 7.1 (2)). Jobs
/// by ascending total work (ties: arrival): the first one with a legal stage gets what the stage
/// demands, whatever job the executors come from. Stage: runnable ones first, then the largest
/// critical-path work. Class of executors: best fit.
class SjfCp final : public RowPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "sjf_cp",
            .summary = "shortest job first by total work, inside a job the critical path first",
            .reference = "Mao et al. 2019, sec. 7.1 (2)",
            .environments = {"dag_scheduling"}};
  }
  explicit SjfCp(const Spec& spec) : RowPolicy(spec) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    const auto smallest = [&](std::size_t job) {
      return view.live(job) ? view.work(job) : ClusterView::kLeftOut;
    };
    const auto all = [&](std::size_t job) -> std::optional<Assignment> {
      if (const auto stage = view.pick_critical(job)) return view.give(*stage);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(smallest, all)) return *made;
    return view.first_legal();
  }
};

}  // namespace park::heuristics
