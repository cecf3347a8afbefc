#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/play/results.h"
#include "cli/web/timeline.h"
#include "park/trees/explain_decision.h"

namespace park::cli {

constexpr int kTimelineVersion = 2;

/// What one policy did in the episode that is shown.
struct PolicyTimeline {
  std::string policy;
  Timeline timeline;
  std::vector<double> metrics;  ///< of this episode, in the order of TimelineFile::metrics
  std::vector<double> means;    ///< over all its episodes
  std::size_t episodes = 0;
  std::vector<park::trees::ExplainedDecision> explained{};
};

/// Sets the figures of the policy that was played last, whose first episode is shown.
void add_figures(const Results&, PolicyTimeline&);

/// The timelines of policies on the same episode of one environment.
struct TimelineFile {
  std::string env;
  std::uint64_t seed = 1;
  std::vector<Metric> metrics;
  std::vector<PolicyTimeline> policies;
};

/// How a timeline is written; the name of the file decides.
enum class TimelineForm {
  page,    ///< FILE.html: a page for a browser
  json,    ///< FILE.json: docs/timeline.md, schema park.timeline
  chrome,  ///< FILE.trace.json: trace events, for Perfetto and chrome://tracing
};
[[nodiscard]] std::optional<TimelineForm> timeline_form(std::string_view path);

[[nodiscard]] std::string timeline_text(TimelineForm, const TimelineFile&);

/// The three forms.
[[nodiscard]] std::string timeline_page(const TimelineFile&);
[[nodiscard]] std::string timeline_json(const TimelineFile&);
[[nodiscard]] std::string timeline_chrome(const TimelineFile&);

}  // namespace park::cli
