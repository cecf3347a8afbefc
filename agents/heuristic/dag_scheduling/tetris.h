#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Multi-resource packing (Grandl et al. 2014, sec. 3.2; Mao et al. 2019, sec. 7.1 (6)): the pair
/// of a stage and a class of executors with the largest alignment, which is the dot product of what
/// a task requests and what an executor of the class offers, each resource in units of the largest
/// executor of the cluster. An executor runs one task at a time, so that all of it is available.
/// Runnable stages before others; ties: arrival, order of stages and classes. The stage gets what
/// it demands. With one class and equal requests every alignment is the same, which leaves the
/// order of arrival.
class Tetris final : public RowPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "tetris",
            .summary = "the stage and class of executors whose resources align best",
            .reference = "Grandl et al. 2014, sec. 3.2; Mao et al. 2019, sec. 7.1 (6)",
            .environments = {"dag_scheduling"}};
  }
  explicit Tetris(const Spec& spec) : RowPolicy(spec) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    most_cpus_ = most_memory_ = 0;
    for (std::size_t c = 0; c < view.classes(); ++c) {
      most_cpus_ = std::max(most_cpus_, view.class_cpus(c));
      most_memory_ = std::max(most_memory_, view.class_memory(c));
    }
    const auto stage =
        view.pick_any([&](std::size_t s) { return -alignment(view, s, best_class(view, s)); });
    return stage ? view.give(*stage, ClusterView::kNoBound, best_class(view, *stage))
                 : Assignment{};
  }

  /// REQUIRES a legal stage.
  [[nodiscard]] std::size_t best_class(const ClusterView& view, std::size_t stage) const {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < view.classes(); ++c) {
      if (!view.offers(stage, c)) continue;
      if (!best || alignment(view, stage, c) > alignment(view, stage, *best)) best = c;
    }
    return best.value_or(0);
  }
  [[nodiscard]] double alignment(const ClusterView& view, std::size_t stage, std::size_t c) const {
    const auto part = [](double request, double offer, double unit) {
      return unit > 0 ? request / unit * (offer / unit) : 0;
    };
    return part(view.cpus(stage), view.class_cpus(c), most_cpus_) +
           part(view.memory(stage), view.class_memory(c), most_memory_);
  }

  double most_cpus_ = 0, most_memory_ = 0;  // of an executor of any class
};

}  // namespace park::heuristics
