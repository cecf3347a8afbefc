// Plays two policies on the same twenty episodes of an environment and prints its metrics.
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace {

/// The mean of each metric over the episodes.
std::vector<double> mean_metrics(const park::Registry& registry, const std::string& environment,
                                 const std::string& policy_text) {
  // Episode k has the same inputs for every policy. The episodes of training have another name, so
  // that no policy is judged by what it was trained on.
  constexpr std::uint64_t kEpisodes = 20;
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate),
                                      {.count = kEpisodes});

  // A stream asks and takes answers, for many environments at once; here four that take turns. A
  // running system would look no different.
  const auto stream = registry.stream(environment, episodes, {.slots = 4});
  const auto policy = registry.policy(policy_text, stream->spec());

  std::vector<double> mean(stream->spec().metrics.size());
  park::play(*stream, *policy, park::Rng(1), [&](const park::Decisions& d, const park::Batch&) {
    // Each episode that ended has a row of metrics, in the order of the spec.
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      for (std::size_t m = 0; m < mean.size(); ++m) mean[m] += d.metrics_of(i)[m] / kEpisodes;
  });
  return mean;
}

}  // namespace

int main() {
  // What there is to choose from is an ordinary value: nothing registers itself behind your back.
  park::Registry registry;
  park::envs::register_all(registry);

  const std::string environment = "load_balance(servers=10,jobs=500)";
  const auto random = mean_metrics(registry, environment, "random");
  const auto greedy = mean_metrics(registry, environment, "shortest_expected_delay");

  std::cout << registry.canonical_env(environment) << '\n'
            << std::setw(24) << "random" << std::setw(26) << "shortest_expected_delay" << '\n';
  const auto metrics = registry.spec(environment).metrics;
  for (std::size_t m = 0; m < metrics.size(); ++m)
    std::cout << std::setw(24) << random[m] << std::setw(26) << greedy[m] << "  " << metrics[m].name
              << " [" << metrics[m].unit << "]\n";
}
