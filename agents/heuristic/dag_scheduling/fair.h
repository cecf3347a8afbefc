#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Equal shares, dynamically (Mao et al. 2019, sec. 7.1 (3); DynamicPartitionAgent of the released
/// simulator). live = jobs with unassigned tasks, share = ceil(executors / live). Executors stay
/// with the source job while it has a legal stage, even above its share. Then the first job by
/// arrival that holds less than the share gets up to it. Inside a job: the stage that has been
/// runnable for the longest time, else the first legal one. Where every job with a legal stage has
/// its share (possible with several classes of executors only), the first one by arrival gets the
/// executors. Class of executors: best fit.
class Fair final : public RowPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "fair",
            .summary = "equal shares of the executors for all jobs that have work left",
            .reference = "Mao et al. 2019, sec. 7.1 (3); Ghodsi et al. 2011, with one resource",
            .environments = {"dag_scheduling"}};
  }
  explicit Fair(const Spec& spec) : RowPolicy(spec) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    if (view.source())
      if (const auto stage = view.pick_longest_ready(*view.source())) return view.give(*stage);
    const auto live = std::max(1, static_cast<std::int32_t>(view.live_jobs()));
    const std::int32_t share = (view.executors() + live - 1) / live;
    for (std::size_t job = 0; job < view.jobs(); ++job) {
      if (!view.live(job) || view.held(job) >= share) continue;
      if (const auto stage = view.pick_longest_ready(job))
        return view.give(*stage, share - view.held(job));
    }
    return view.first_legal();
  }
};

}  // namespace park::heuristics
