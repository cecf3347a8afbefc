#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "park/core/config.h"

namespace park::heuristics {

struct FifoConfig {
  std::int32_t cap = 0;
  bool compat = false;
  bool operator==(const FifoConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("cap", self.cap,
          FieldDoc{.doc = "most executors that other jobs pass to a job; 0: as many as there are",
                   .min = 0,
                   .max = 1e6});
    visit("compat", self.compat,
          FieldDoc{.doc = "the cap counts all that were ever passed to the job, as in Decima's "
                          "released code, where the count never goes down"});
  }
};

/// First in, first out: Spark's default (Mao et al. 2019, sec. 7.1 (1); SparkAgent of the released
/// simulator). Executors stay with the source job while it has a legal stage; all of them go there.
/// Then the first job by arrival that is below its cap gets what its stage demands. Inside a job:
/// the stage that has been runnable for the longest time, else the first legal one. Where every
/// job with a legal stage is at its cap, the first one by arrival gets the executors.
/// Class of executors: best fit.
class Fifo final : public RowPolicy {
 public:
  using Config = FifoConfig;
  static PolicyInfo info() {
    return {.name = "fifo",
            .summary = "jobs in order of arrival, each with all executors that it can use",
            .reference = "Mao et al. 2019, sec. 7.1 (1); Spark's default scheduler",
            .environments = {"dag_scheduling"}};
  }
  Fifo(const Config& config, const Spec& spec) : RowPolicy(spec), config_(config) {}

  void start(std::uint32_t slot, const Episode&, Rng) override {
    if (slot >= passed_.size()) passed_.resize(slot + 1);
    passed_[slot].clear();
  }

 private:
  Assignment choose(ClusterView& view, std::uint32_t slot) override {
    if (view.source())
      if (const auto stage = view.pick_longest_ready(*view.source())) return view.give(*stage);
    for (std::size_t job = 0; job < view.jobs(); ++job) {
      const std::int32_t room = cap(view) - counted(view, job, slot);
      if (room <= 0) continue;
      if (const auto stage = view.pick_longest_ready(job)) {
        const Assignment given = view.give(*stage, room);
        count(view, job, slot, given);
        return given;
      }
    }
    return view.first_legal();
  }

  [[nodiscard]] std::int32_t cap(const ClusterView& view) const {
    return config_.cap > 0 ? config_.cap : view.executors();
  }
  /// What the cap is compared with.
  [[nodiscard]] std::int32_t counted(const ClusterView& view, std::size_t job,
                                     std::uint32_t slot) const {
    if (!config_.compat) return view.kept(job);
    const std::vector<std::int32_t>& passed = passed_[slot];
    return view.id(job) < passed.size() ? passed[view.id(job)] : 0;
  }
  void count(const ClusterView& view, std::size_t job, std::uint32_t slot,
             const Assignment& given) {
    if (!config_.compat) return;
    std::vector<std::int32_t>& passed = passed_[slot];
    if (view.id(job) >= passed.size()) passed.resize(view.id(job) + 1, 0);
    passed[view.id(job)] += given.limit - view.kept(job);
  }

  Config config_;
  std::vector<std::vector<std::int32_t>> passed_;  // [slots][jobs of the episode], where compat
};

}  // namespace park::heuristics
