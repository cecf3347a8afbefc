#pragma once

#include <string>
#include <vector>

#include "cli/play/play.h"
#include "park/bench/results_parts.h"
#include "park/bench/summary.h"
#include "park/core/json_writer.h"
#include "park/core/space.h"

namespace park::cli {

using bench::Interval;
using bench::kUndefined;
using bench::result_metrics;
using bench::summarize;
using bench::summarize_difference;
using bench::Summary;

constexpr int kResultsVersion = 1;

/// What policies made of the same episodes of one environment.
struct Results {
  PlayPlan plan;
  std::vector<Metric> metrics;              ///< of the environment, then "reward"
  std::vector<PolicyResult> policies;       ///< each with at least one finished episode
  std::vector<runs::PluginUsed> plugins{};  ///< that environment and policies come from
  bool interrupted = false;                 ///< finished episodes may be any of the plan's
};

/// A metric of each finished episode, by episode; the index counts in Results::metrics.
[[nodiscard]] std::vector<double> column(const PolicyResult&, std::size_t metric);

/// a - b over the episodes that both finished.
[[nodiscard]] Summary paired_difference(const PolicyResult& a, const PolicyResult& b,
                                        std::size_t metric);

/// One table for people: mean and 95 % interval of each metric and, against the first policy, the
/// mean and interval of the paired difference.
[[nodiscard]] std::string results_text(const Results&, std::size_t width);

/// {"results": [...]}; of episodes that are not held out also "phase"; after an interrupt also
/// "interrupted": true, and "episode_ids" per policy.
[[nodiscard]] std::string results_json(const Results&);

/// A file: the same with "schema": "park.results", "version" and the build in front.
[[nodiscard]] std::string results_file(const Results&);

/// For people: "[1.25, 2.50]", or "-" where there is none.
[[nodiscard]] std::string interval_text(const Interval&, int decimals);

/// "mean", "sd", "ci95" as members of the object that is open.
void write_summary(JsonWriter&, const Summary&);

}  // namespace park::cli
