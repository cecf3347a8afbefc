#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "park/core/config.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct SrptCappedConfig {
  double c = 8, s = 0.9, scale_s = 500;
  bool operator==(const SrptCappedConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("c", self.c,
          FieldDoc{.doc = "cap of a job whose total work is scale_s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "4|6|8|10|12|15|18|22",
                   .open_min = true});
    visit("s", self.s,
          FieldDoc{.doc = "exponent of a job's total work in its cap; 0: the same cap for all",
                   .min = 0,
                   .max = 10,
                   .tune = "0|0.25|0.5|0.75|0.9|1|1.25"});
    visit("scale_s", self.scale_s,
          FieldDoc{.doc = "total work of a job whose cap is c",
                   .unit = "executor-seconds",
                   .min = 0,
                   .max = 1e12,
                   .tune = "50|100|250|500|1000|2000",
                   .open_min = true});
  }
};

/// Shortest remaining work first, with a cap per job that grows with its total work:
///   cap(job) = max(1, ceil(c (total work / scale_s)^s)).
///   1. The source job, if it holds at most its cap: what its stage demands; else
///   2. jobs by ascending remaining work (unlaunched tasks times mean duration; ties: arrival) that
///      hold less than their cap: up to the cap; else
///   3. without caps: the source job, then jobs by ascending remaining work.
/// Inside a job: runnable stages first, then the largest critical-path work. Class of executors:
/// best fit. (Own definition: SRPT after Schrage 1968; caps because parallelism makes the tasks of
/// a job slower.)
class SrptCapped final : public RowPolicy {
 public:
  using Config = SrptCappedConfig;
  static PolicyInfo info() {
    return {.name = "srpt_capped",
            .summary = "shortest remaining work first, with a cap that grows with a job's work",
            .reference = "Schrage 1968, with caps on parallelism",
            .environments = {"dag_scheduling"}};
  }
  SrptCapped(const Config& config, const Spec& spec) : RowPolicy(spec), config_(config) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    const auto source = view.source();
    if (source && view.held(*source) <= cap(view, *source))
      if (const auto stage = view.pick_critical(*source)) return view.give(*stage);
    const auto remaining = [&](std::size_t job) {
      return view.live(job) ? view.work_left(job) : ClusterView::kLeftOut;
    };
    const auto up_to_cap = [&](std::size_t job) -> std::optional<Assignment> {
      const double room = cap(view, job) - view.kept(job);
      if (room <= 0) return std::nullopt;
      if (const auto stage = view.pick_critical(job))
        return view.give(*stage, static_cast<std::int32_t>(room));
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(remaining, up_to_cap)) return *made;
    if (source)
      if (const auto stage = view.pick_critical(*source)) return view.give(*stage);
    const auto all = [&](std::size_t job) -> std::optional<Assignment> {
      if (const auto stage = view.pick_critical(job)) return view.give(*stage);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(remaining, all)) return *made;
    return view.first_legal();
  }

  /// At most the executors of the cluster, whatever the exponent makes of the work.
  [[nodiscard]] double cap(const ClusterView& view, std::size_t job) const {
    const double size = config_.c * std::pow(view.work(job) / config_.scale_s, config_.s);
    return std::clamp<double>(std::ceil(size), 1, view.executors());
  }
  Config config_;
};

}  // namespace park::heuristics
