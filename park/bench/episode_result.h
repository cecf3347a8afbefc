#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "park/core/space.h"

namespace park::bench {

/// The result of one policy on one episode.
struct EpisodeResult {
  std::uint64_t id = 0, decisions = 0, events = 0;
  double reward = 0;              ///< the sum
  std::vector<double> metrics{};  ///< in the order of the spec
};

/// The figures of the environment and the sum of rewards, unless a figure is named so.
[[nodiscard]] std::vector<Metric> result_metrics(const Spec&);

/// A metric of an episode; the index counts in result_metrics.
[[nodiscard]] double metric_value(const EpisodeResult&, std::size_t metric);
/// The same of each episode.
[[nodiscard]] std::vector<double> metric_values(std::span<const EpisodeResult>, std::size_t metric);

/// Values of the episodes that are in both; each list is in the order of its ids.
[[nodiscard]] std::pair<std::vector<double>, std::vector<double>> paired_values(
    std::span<const EpisodeResult> a, std::span<const EpisodeResult> b, std::size_t metric);

}  // namespace park::bench
