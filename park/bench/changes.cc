#include "park/bench/changes.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "park/bench/bootstrap.h"

namespace park::bench {
namespace {

const Entry* find_entry(const BenchResults& results, const std::string& env,
                        const std::string& policy) {
  for (const Entry& entry : results.entries)
    if (results.environments[entry.env].text == env && entry.policy == policy &&
        !entry.episodes.empty())
      return &entry;
  return nullptr;
}

std::vector<double> differences(const std::vector<double>& after,
                                const std::vector<double>& before) {
  std::vector<double> all(after.size());
  std::ranges::transform(after, before, all.begin(), std::minus<>());
  return all;
}

void compare_paired(const Entry& a, const Entry& b, std::size_t m, Change& change) {
  const auto [before, after] = paired_values(a.episodes, b.episodes, m);
  change.before = summarize(before).mean;
  change.after = summarize(after).mean;
  change.episodes = before.size();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool undefined = std::isnan(before[i]) && std::isnan(after[i]);
    change.differing += before[i] != after[i] && !undefined;
  }
  change.difference = bootstrap(sorted_strata({differences(after, before)}), {&mean_of}).front();
}

void compare_unpaired(const Entry& a, const Entry& b, std::size_t m, Change& change) {
  const std::vector<double> before = metric_values(a.episodes, m);
  const std::vector<double> after = metric_values(b.episodes, m);
  change.before = summarize(before).mean;
  change.after = summarize(after).mean;
  change.episodes = std::min(before.size(), after.size());
  change.difference = bootstrap(sorted_strata({after, before}),
                                {[](const Strata& s) { return mean_of({s[0]}) - mean_of({s[1]}); }})
                          .front();
}

void add_unmatched(const BenchResults& of, const BenchResults& other, const char* which,
                   std::vector<std::string>& lines) {
  for (const Entry& entry : of.entries)
    if (find_entry(other, of.environments[entry.env].text, entry.policy) == nullptr)
      lines.push_back(entry_text(of, entry) + ": only in the " + which);
}

}  // namespace

std::vector<Change> changes(const BenchResults& before, const BenchResults& after) {
  std::vector<Change> all;
  for (const Entry& a : before.entries) {
    const EnvFacts& env = before.environments[a.env];
    const Entry* b = a.episodes.empty() ? nullptr : find_entry(after, env.text, a.policy);
    if (b == nullptr) continue;
    const EnvFacts& other = after.environments[b->env];
    for (const std::string& name : before.suite.environments[a.env].metrics) {
      const std::size_t m = metric_index(env, name);
      if (metric_index(other, name) != m) continue;  // another version of the environment
      Change change{.env = env.text, .policy = a.policy, .metric = env.metrics[m]};
      change.paired = before.suite.seed == after.suite.seed && env.version == other.version &&
                      same_files(env.data, other.data);
      (change.paired ? compare_paired : compare_unpaired)(a, *b, m, change);
      all.push_back(std::move(change));
    }
  }
  return all;
}

std::vector<std::string> unmatched(const BenchResults& before, const BenchResults& after) {
  std::vector<std::string> lines;
  add_unmatched(before, after, "first", lines);
  add_unmatched(after, before, "second", lines);
  return lines;
}

}  // namespace park::bench
