#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/session.h"
#include "cli/web/timeline_file.h"
#include "park/bench/bench_results.h"

namespace park::cli {

/// The same episode of an environment under several policies, or under one at several stages of its
/// training.
struct ReportTimeline {
  TimelineFile file;
  bool stages = false;
};

/// Plays the first episode of what the suite's environments show, and of each trained run's kept
/// checkpoints. Policies that fail there are left out with a warning.
[[nodiscard]] std::vector<ReportTimeline> report_timelines(Session&, const bench::BenchResults&);

/// A page for a browser: tables and charts of results.json, timelines, curves of training.
[[nodiscard]] std::string bench_report(const bench::BenchResults&, std::string_view json,
                                       const std::vector<ReportTimeline>&);

}  // namespace park::cli
