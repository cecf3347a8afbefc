#include "park/bench/failed_episodes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "park/bench/summary.h"

namespace park::bench {
namespace {

/// The worst value of each metric that an environment's episodes have; undefined where none has one.
EpisodeResult worst_episode(const BenchResults& results, std::size_t env) {
  const std::vector<Metric>& metrics = results.environments[env].metrics;
  EpisodeResult worst{.reward = kUndefined};
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    double value = kUndefined;
    for (const Entry& entry : results.entries) {
      if (entry.env != env) continue;
      for (const EpisodeResult& episode : entry.episodes) {
        const double v = metric_value(episode, m);
        const bool worse = metrics[m].lower_is_better ? v > value : v < value;
        if (std::isnan(value) || worse) value = v;
      }
    }
    worst.metrics.push_back(value);
  }
  return worst;
}

}  // namespace

std::vector<std::uint64_t> failed_episodes(const BenchResults& results, std::size_t entry) {
  const Entry& one = results.entries[entry];
  const std::uint64_t episodes = results.suite.environments[one.env].episodes;
  std::set<std::uint64_t> ids;
  for (const EpisodeFailure& failure : results.failures) {
    if (failure.entry != entry || failure.first >= episodes) continue;
    const std::uint64_t count = std::min(failure.count, episodes - failure.first);
    for (std::uint64_t id = failure.first; id < failure.first + count; ++id) ids.insert(id);
  }
  for (const EpisodeResult& episode : one.episodes) ids.erase(episode.id);
  return {ids.begin(), ids.end()};
}

BenchResults with_failures(BenchResults results) {
  std::vector<EpisodeResult> worst;  // before any is added
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    worst.push_back(worst_episode(results, e));
  for (std::size_t i = 0; i < results.entries.size(); ++i) {
    Entry& entry = results.entries[i];
    entry.failed = failed_episodes(results, i);
    for (const std::uint64_t id : entry.failed) {
      entry.episodes.push_back(worst[entry.env]);
      entry.episodes.back().id = id;
    }
    std::ranges::sort(entry.episodes, {}, &EpisodeResult::id);
  }
  return results;
}

}  // namespace park::bench
