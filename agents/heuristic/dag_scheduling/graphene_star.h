#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "agents/heuristic/dag_scheduling/weighted_share.h"
#include "park/core/config.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct GrapheneStarConfig {
  double alpha = -1, long_part = 0.5, scarce_part = 0.5;
  bool operator==(const GrapheneStarConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("alpha", self.alpha,
          FieldDoc{.doc = "exponent of a job's total work in its share, as in weighted_fair",
                   .min = -10,
                   .max = 10,
                   .tune = "-2:2:0.5"});
    visit("long_part", self.long_part,
          FieldDoc{.doc = "a stage is troublesome if its tasks take at least this part of the "
                          "longest mean duration of its job; above 1: never",
                   .min = 0,
                   .max = 2,
                   .tune = "0.25|0.5|0.75|1|2"});
    visit("scarce_part", self.scarce_part,
          FieldDoc{.doc = "a stage is troublesome if at most this part of all executors fits it",
                   .min = 0,
                   .max = 1,
                   .tune = "0|0.25|0.5|0.75"});
  }
};

/// Graphene (Grandl et al. 2016) as adapted to stages and classes of executors for Mao et al. 2019,
/// sec. 7.1 (7): troublesome stages are found as in Graphene, sec. 4.1, and scheduled together,
/// and the parallelism of a job is tuned as in weighted_fair.
///   Troublesome: a stage whose tasks are long (LongScore: mean duration / the longest of the job
///   >= long_part) or hard to place (FragScore: the part of all executors whose class fits its
///   tasks <= scarce_part), and every stage on a path between two such stages.
///   Inside a job, runnable stages first, and among equals: troublesome stages, then their
///   ancestors, which unlock them, then the others; ties by the largest critical-path work.
///   Between jobs: the rule of WeightedShare. Class of executors: best fit.
/// Graphene itself plans single tasks offline; its search over virtual orders has no counterpart.
class GrapheneStar final : public RowPolicy {
 public:
  using Config = GrapheneStarConfig;
  static PolicyInfo info() {
    return {.name = "graphene_star",
            .summary = "long or hard-to-place stages of a job first, weighted shares between jobs",
            .reference = "Grandl et al. 2016, sec. 4.1; Mao et al. 2019, sec. 7.1 (7)",
            .environments = {"dag_scheduling"}};
  }
  GrapheneStar(const Config& config, const Spec& spec)
      : RowPolicy(spec), config_(config), share_(config.alpha) {}

 private:
  enum Rank : std::uint8_t { troublesome, ancestor, other };

  Assignment choose(ClusterView& view, std::uint32_t) override {
    return share_.choose(view, [&](std::size_t job) { return pick(view, job); });
  }

  std::optional<std::size_t> pick(const ClusterView& view, std::size_t job) {
    rank_stages(view, job);
    const std::size_t first = view.first_stage(job);
    return view.pick(
        job, [&](std::size_t s) { return std::pair(rank_[s - first], -view.critical_path_s(s)); });
  }

  /// Fills rank_ with the ranks of the stages of a job.
  void rank_stages(const ClusterView& view, std::size_t job) {
    const std::size_t first = view.first_stage(job), count = view.end_stage(job) - first;
    seed_.assign(count, 0);
    double longest = 0;
    for (std::size_t i = 0; i < count; ++i)
      longest = std::max(longest, view.mean_duration_s(first + i));
    for (std::size_t i = 0; i < count; ++i)
      seed_[i] = view.mean_duration_s(first + i) >= config_.long_part * longest ||
                 fitting_part(view, first + i) <= config_.scarce_part;
    find_edges(view, first, count);
    above_ = below_ = seed_;
    spread([this](const Edge& e) { return raise(above_[e.parent], above_[e.child]); });
    spread([this](const Edge& e) { return raise(below_[e.child], below_[e.parent]); });
    rank_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      rank_[i] = seed_[i] || (above_[i] && below_[i]) ? troublesome : above_[i] ? ancestor : other;
  }

  /// The part of all executors whose class fits the tasks of a stage.
  [[nodiscard]] static double fitting_part(const ClusterView& view, std::size_t stage) {
    double fitting = 0;
    for (std::size_t c = 0; c < view.classes(); ++c)
      if (view.fits(stage, c)) fitting += view.class_size(c);
    return fitting / view.executors();
  }

  using Edge = ClusterView::Edge;
  /// Fills edges_ with the edges of a job, counted from its first stage.
  void find_edges(const ClusterView& view, std::size_t first, std::size_t count) {
    edges_.clear();
    for (std::size_t e = 0; e < view.edges(); ++e) {
      const auto [parent, child] = view.edge(e);
      if (parent >= first && parent < first + count)
        edges_.push_back({parent - first, child - first});
    }
  }
  static bool raise(std::uint8_t& to, std::uint8_t from) {
    const bool rises = to < from;
    to = std::max(to, from);
    return rises;
  }
  /// Applies a step to every edge until nothing changes.
  template <class Step>
  void spread(Step step) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& e : edges_) changed |= step(e);
    }
  }

  Config config_;
  WeightedShare share_;
  std::vector<Edge> edges_;                  // of the job in hand
  std::vector<std::uint8_t> seed_;           // [its stages] long or hard to place
  std::vector<std::uint8_t> above_, below_;  // [its stages] seeds with their ancestors, descendants
  std::vector<Rank> rank_;                   // [its stages]
};

}  // namespace park::heuristics
