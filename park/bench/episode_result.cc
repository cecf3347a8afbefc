#include "park/bench/episode_result.h"

#include <algorithm>

namespace park::bench {

std::vector<Metric> result_metrics(const Spec& spec) {
  std::vector<Metric> metrics = spec.metrics;
  const bool named = std::ranges::any_of(metrics, [](auto& m) { return m.name == "reward"; });
  if (!named)
    metrics.push_back({.name = "reward",
                       .unit = "1",
                       .lower_is_better = false,
                       .doc = "sum of the rewards of the episode"});
  return metrics;
}

double metric_value(const EpisodeResult& episode, std::size_t metric) {
  return metric < episode.metrics.size() ? episode.metrics[metric] : episode.reward;
}

std::vector<double> metric_values(std::span<const EpisodeResult> episodes, std::size_t metric) {
  std::vector<double> values;
  values.reserve(episodes.size());
  for (const EpisodeResult& episode : episodes) values.push_back(metric_value(episode, metric));
  return values;
}

std::pair<std::vector<double>, std::vector<double>> paired_values(std::span<const EpisodeResult> a,
                                                                  std::span<const EpisodeResult> b,
                                                                  std::size_t metric) {
  const std::vector<double> all_a = metric_values(a, metric), all_b = metric_values(b, metric);
  std::pair<std::vector<double>, std::vector<double>> both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t id_a = a[i].id, id_b = b[j].id;
    if (id_a == id_b) {
      both.first.push_back(all_a[i]);
      both.second.push_back(all_b[j]);
    }
    if (id_a <= id_b) ++i;
    if (id_b <= id_a) ++j;
  }
  return both;
}

}  // namespace park::bench
