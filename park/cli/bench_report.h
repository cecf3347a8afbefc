#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "park/cli/session.h"
#include "park/cli/timeline_file.h"
#include "park/suite/bench_record.h"

namespace park::cli {

/// The same episode of an environment under several policies, or under one at several stages of its
/// training.
struct ReportTimeline {
  TimelineFile file;
  bool stages = false;
};

/// Plays the first episode of what the suite's environments show, and of each trained run's kept
/// checkpoints. Policies that fail there are left out with a warning.
[[nodiscard]] std::vector<ReportTimeline> report_timelines(Session&, const suite::BenchRecord&);

/// A page for a browser: tables and charts of results.json, timelines, curves of training.
[[nodiscard]] std::string bench_report(const suite::BenchRecord&, std::string_view record_json,
                                       const std::vector<ReportTimeline>&);

/// Every figure of every episode: "env,policy,episode,metric,unit,value".
[[nodiscard]] std::string bench_csv(const suite::BenchRecord&);

}  // namespace park::cli
