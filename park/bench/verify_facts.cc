// Facts of results against those of this build: environments, policies with their files, and what was
// trained. check_facts resolves the recorded suite anew and adds what lies in the folder of trainings;
// each difference is a line. check_complete looks for lacking episodes. `park bench verify` calls both.
#include <algorithm>
#include <map>

#include "park/bench/agents.h"
#include "park/bench/bundled.h"
#include "park/bench/verify.h"
#include "park/core/text.h"

namespace park::bench {
namespace {

using Lines = std::vector<std::string>;

std::string files_text(const std::vector<runs::DataFile>& files) {
  std::string text;
  for (const runs::DataFile& file : files)
    text += (text.empty() ? "" : ", ") + file.path + " (" + std::to_string(file.bytes) +
            " bytes, SHA-256 " + file.sha256 + ')';
  return text.empty() ? "no files" : text;
}

void compare_text(const std::string& what, const std::string& recorded, const std::string& here,
                  Lines& lines) {
  if (recorded != here) lines.push_back(what + ": recorded " + recorded + ", here " + here);
}

void compare_lists(const std::string& what, const Lines& recorded, const Lines& here,
                   Lines& lines) {
  if (recorded.size() != here.size())
    return compare_text(what, std::to_string(recorded.size()), std::to_string(here.size()), lines);
  for (std::size_t i = 0; i < here.size(); ++i) compare_text(what, recorded[i], here[i], lines);
}

/// Without fields that came after the record: neither it nor its suite tells them. They have their
/// defaults, or the canonical texts differ.
Lines config_lines(const EnvFacts& env, const EnvFacts& recorded, const SuiteEnv& suite) {
  const auto told = [](const auto& config, const std::string& field) {
    return std::ranges::any_of(config, [&](const auto& one) { return one.first == field; });
  };
  Lines lines;
  for (const auto& [field, value] : env.config)
    if (told(recorded.config, field) || told(suite.config, field))
      lines.emplace_back(field).append("=").append(value);
  return lines;
}

Lines metric_lines(const EnvFacts& env) {
  Lines lines;
  for (const Metric& metric : env.metrics)
    lines.push_back(metric.name + " [" + metric.unit + "], " +
                    (metric.lower_is_better ? "lower" : "higher") + " is better (" + metric.doc +
                    ')');
  return lines;
}

void compare_env(const EnvFacts& recorded, const EnvFacts& here, const SuiteEnv& suite,
                 Lines& lines) {
  const std::string& name = recorded.text;
  compare_text(name + ": canonical text", recorded.text, here.text, lines);
  compare_text(name + ": version", std::to_string(recorded.version), std::to_string(here.version),
               lines);
  compare_text(name + ": layout_hash", recorded.layout_hash, here.layout_hash, lines);
  compare_lists(name + ": config", config_lines(recorded, recorded, suite),
                config_lines(here, recorded, suite), lines);
  compare_lists(name + ": metrics", metric_lines(recorded), metric_lines(here), lines);
  compare_text(name + ": data", files_text(recorded.data), files_text(here.data), lines);
}

/// The first entry of each environment and policy.
class FirstEntries {
 public:
  explicit FirstEntries(const BenchResults& results) {
    for (const Entry& entry : results.entries)
      first_.try_emplace({entry.env, entry.policy}, &entry);
  }
  /// The one with the environment and policy of another; null where there is none.
  [[nodiscard]] const Entry* like(const Entry& other) const {
    const auto at = first_.find({other.env, other.policy});
    return at == first_.end() ? nullptr : at->second;
  }

 private:
  std::map<std::pair<std::size_t, std::string_view>, const Entry*> first_;
};

std::string training_text(const Entry& entry) {
  if (!entry.training) return "none";
  const Training& training = *entry.training;
  return training.agent + " on environment " + std::to_string(training.env) + ", seed " +
         std::to_string(training.seed) + ", " + std::to_string(training.decisions) +
         " decisions in " + std::to_string(training.episodes) + " episodes, " +
         number_text(training.cpu_s) + " s of CPU time, " + number_text(training.wall_s) + " s" +
         (training.error.empty() ? "" : ", failed: " + training.error);
}

Lines unfit_lines(const BenchResults& results) {
  Lines lines;
  for (const Unfit& one : results.unfit)
    lines.push_back(one.agent + " does not fit environment " + std::to_string(one.env) + ": " +
                    one.reason);
  return lines;
}

/// What differs in an entry that is called `what`. `here`: the one of this build, or null.
Lines entry_lines(const std::string& what, const Entry& recorded, bool first, const Entry* here) {
  if (here == nullptr) return {what + ": is no policy of the suite"};
  if (!first) return {what + ": is there twice"};
  Lines lines;
  const auto is = [](bool it) { return it ? "yes" : "no"; };
  compare_text(what + ": baseline", is(recorded.baseline), is(here->baseline), lines);
  compare_text(what + ": bound", is(recorded.bound), is(here->bound), lines);
  compare_text(what + ": training", training_text(recorded), training_text(*here), lines);
  compare_text(what + ": files", files_text(recorded.files), files_text(here->files), lines);
  return lines;
}

/// The first episode of the suite that an entry neither has nor failed in; the number of episodes
/// where there is none.
std::uint64_t first_missing(const BenchResults& results, std::size_t entry,
                            std::uint64_t episodes) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // first, count
  for (const EpisodeResult& episode : results.entries[entry].episodes)
    ranges.emplace_back(episode.id, 1);
  for (const EpisodeFailure& failure : results.failures)
    if (failure.entry == entry) ranges.emplace_back(failure.first, failure.count);
  std::ranges::sort(ranges);
  std::uint64_t next = 0;
  for (const auto& [first, count] : ranges) {
    if (first > next) break;
    next = std::max(next, first + std::min(count, episodes));
  }
  return std::min(next, episodes);
}

}  // namespace

Facts check_facts(const Registry& registry, const BenchResults& results, const Opens& opens) {
  BenchResults here = resolve(registry, results.suite, opens);
  here.folder = results.folder;
  Facts facts{.lines = changes_of_bundled(results.suite)};
  add_agents(registry, here, facts.lines);
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    compare_env(results.environments[e], here.environments[e], results.suite.environments[e],
                facts.lines);
  compare_lists("agents.unfit", unfit_lines(results), unfit_lines(here), facts.lines);
  const FirstEntries first(results), first_here(here);
  for (const Entry& entry : results.entries) {
    Lines lines = entry_lines(entry_text(results, entry), entry, first.like(entry) == &entry,
                              first_here.like(entry));
    const std::string& env = here.environments[entry.env].text;
    facts.agree.push_back(results.environments[entry.env].text == env && lines.empty());
    std::ranges::move(lines, std::back_inserter(facts.lines));
  }
  for (const Entry& entry : here.entries)
    if (first.like(entry) == nullptr)
      facts.lines.push_back(entry_text(here, entry) + ": has no result");
  return facts;
}

Lines check_complete(const BenchResults& results) {
  if (results.interrupted) return {"interrupted: the results are not complete"};
  Lines lines;
  for (std::size_t i = 0; i < results.entries.size(); ++i) {
    const Entry& entry = results.entries[i];
    const std::uint64_t episodes = results.suite.environments[entry.env].episodes;
    const std::string front = entry_text(results, entry) + ": episode ";
    if (!entry.episodes.empty() && entry.episodes.back().id >= episodes)
      lines.push_back(front + std::to_string(entry.episodes.back().id) +
                      " is none of the suite's " + std::to_string(episodes));
    const std::uint64_t missing = first_missing(results, i, episodes);
    if (missing < episodes) lines.push_back(front + std::to_string(missing) + " is missing");
  }
  return lines;
}

}  // namespace park::bench
