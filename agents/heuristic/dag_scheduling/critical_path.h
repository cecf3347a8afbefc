#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// List scheduling by critical path over all jobs at once: highest level first with estimated times
/// (Adam, Chandy, Dickson 1974). Of all legal stages, runnable ones first, the one with the largest
/// critical-path work gets what it demands (ties: arrival, order of stages). It shortens the
/// makespan, not the completion times. Class of executors: best fit.
class CriticalPath final : public RowPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "critical_path",
            .summary = "the stage with the longest chain of work below it, over all jobs",
            .reference = "Adam, Chandy, Dickson 1974, HLFET",
            .environments = {"dag_scheduling"}};
  }
  explicit CriticalPath(const Spec& spec) : RowPolicy(spec) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    const auto stage = view.pick_any([&](std::size_t s) { return -view.critical_path_s(s); });
    return stage ? view.give(*stage) : Assignment{};
  }
};

}  // namespace park::heuristics
