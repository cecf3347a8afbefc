#include <algorithm>
#include <filesystem>

#include "cli/bench/bench_report.h"
#include "cli/frame/interrupt.h"
#include "park/bench/blocks.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostStages = 3;  // beside the trained policy itself
constexpr const char* kKept = "checkpoints";

TimelineFile new_file(const bench::BenchResults& results, std::size_t env) {
  const bench::EnvFacts& facts = results.environments[env];
  return {.env = facts.text, .seed = results.suite.seed, .metrics = facts.metrics, .policies = {}};
}

/// Plays the first episode of an entry for its timeline.
void add_timeline(Session& session, const bench::BenchResults& results, std::size_t entry,
                  TimelineFile& to) {
  const bench::Entry& one = results.entries[entry];
  PolicyTimeline shown{.policy = one.policy, .timeline = {}, .metrics = {}, .means = {}};
  try {
    const auto played = bench::play_for_events(session.registry(), results, entry, 0,
                                               shown.timeline, [] { return interrupted() != 0; });
    if (!played) return;
    shown.episodes = one.episodes.size();
    for (std::size_t m = 0; m < to.metrics.size(); ++m) {
      shown.metrics.push_back(bench::metric_values({&*played, 1}, m).front());
      shown.means.push_back(summarize(bench::metric_values(one.episodes, m)).mean);
    }
    to.policies.push_back(std::move(shown));
  } catch (const std::exception& error) {
    session.console().warn("timeline of " + one.policy + ": " + error.what());
  }
}

/// Some of the checkpoints that a run kept, evenly over its training, and the run itself.
std::vector<std::string> stages_of(const std::string& policy) {
  std::error_code none;
  std::vector<fs::path> kept;
  for (const auto& folder : fs::directory_iterator(fs::path(parse_text(policy).text) / kKept, none))
    kept.push_back(folder.path());
  if (kept.empty()) return {};
  std::ranges::sort(kept);
  std::vector<std::string> stages;
  const std::size_t count = std::min(kMostStages, kept.size());
  for (std::size_t i = 0; i < count; ++i)
    stages.push_back(kept[count == 1 ? 0 : i * (kept.size() - 1) / (count - 1)].string());
  stages.push_back(policy);
  return stages;
}

/// The timelines of a trained run's stages; nothing where it kept none.
void add_stages(Session& session, const bench::BenchResults& results, std::size_t entry,
                std::vector<ReportTimeline>& all) {
  const std::vector<std::string> stages = stages_of(results.entries[entry].policy);
  if (stages.empty()) return;
  const std::size_t env = results.entries[entry].env;
  bench::BenchResults staged = results;
  staged.entries.clear();
  ReportTimeline shown{.file = new_file(results, env), .stages = true};
  for (const std::string& stage : stages) {
    staged.entries.push_back({.env = env, .policy = stage});
    add_timeline(session, staged, staged.entries.size() - 1, shown.file);
  }
  all.push_back(std::move(shown));
}

}  // namespace

std::vector<ReportTimeline> report_timelines(Session& session, const bench::BenchResults& results) {
  std::vector<ReportTimeline> all;
  for (std::size_t e = 0; e < results.environments.size(); ++e) {
    ReportTimeline shown{.file = new_file(results, e)};
    for (const std::string& text : results.suite.environments[e].timeline) {
      const std::string policy = session.registry().canonical_policy(text);
      for (std::size_t i = 0; i < results.entries.size(); ++i)
        if (results.entries[i].env == e && results.entries[i].policy == policy)
          add_timeline(session, results, i, shown.file);
    }
    if (!shown.file.policies.empty()) all.push_back(std::move(shown));
    for (std::size_t i = 0; i < results.entries.size(); ++i)
      if (results.entries[i].env == e && results.entries[i].network())
        add_stages(session, results, i, all);
  }
  return all;
}

}  // namespace park::cli
