#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agents/heuristic/dag_scheduling/cluster_view.h"

namespace park::heuristics {

/// Weighted fair sharing with any rule for the next stage of a job. live = jobs with unassigned
/// tasks, w = total work of a job, share(job) = ceil(executors w^alpha / sum of w^alpha over live).
///   1. The source job, if it holds at most its share: what its stage demands; else
///   2. live jobs by ascending held / share: up to the share; else
///   3. live jobs by ascending work: what the stage demands.
/// (Mao et al. 2019, sec. 7.1 (4), (5); the order of the steps is ours.)
class WeightedShare {
 public:
  explicit WeightedShare(double alpha) : alpha_(alpha) {}

  /// `pick(job)`: an optional stage of the job.
  template <class Pick>
  [[nodiscard]] Assignment choose(ClusterView& view, Pick pick) {
    set_shares(view);
    if (const auto source = view.source(); source && view.held(*source) <= share_[*source])
      if (const auto stage = pick(*source)) return view.give(*stage);
    const auto fill = [&](std::size_t job) {
      return share_[job] > 0 ? view.held(job) / static_cast<double>(share_[job])
                             : ClusterView::kLeftOut;
    };
    const auto up_to_share = [&](std::size_t job) -> std::optional<Assignment> {
      const std::int32_t room = share_[job] - view.kept(job);
      if (room <= 0) return std::nullopt;
      if (const auto stage = pick(job)) return view.give(*stage, room);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(fill, up_to_share)) return *made;
    const auto smallest = [&](std::size_t job) {
      return view.live(job) ? view.work(job) : ClusterView::kLeftOut;
    };
    const auto all = [&](std::size_t job) -> std::optional<Assignment> {
      if (const auto stage = pick(job)) return view.give(*stage);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(smallest, all)) return *made;
    return view.first_legal();
  }

 private:
  void set_shares(const ClusterView& view) {
    share_.assign(view.jobs(), 0);
    weight_.assign(view.jobs(), 0.0);
    double sum = 0;
    for (std::size_t job = 0; job < view.jobs(); ++job)
      if (view.live(job)) sum += weight_[job] = std::pow(std::max(view.work(job), kTiny), alpha_);
    // A share that is whole but for rounding stays whole.
    const double unit = view.executors() / sum * (1 - 1e-12);
    for (std::size_t job = 0; job < view.jobs(); ++job)
      share_[job] = static_cast<std::int32_t>(std::ceil(unit * weight_[job]));
  }

  static constexpr double kTiny = 1e-9;  // work that is not known yet is 0

  double alpha_;
  std::vector<double> weight_;       // [jobs], 0 for jobs that are not live
  std::vector<std::int32_t> share_;  // [jobs], likewise
};

}  // namespace park::heuristics
