// Compares the mean wait with queueing theory. Both formulas hold for Poisson arrivals at the rate
// lambda and services that are not interrupted; episodes begin empty, so they are long.
#include <park/core/episodes.h>
#include <park/core/policy.h>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>

#include "project.h"

namespace {

constexpr std::size_t kEpisodes = 20;

/// The mean of the metric avg_wait_s over the episodes.
double played_wait_s(const park::Registry& registry, const std::string& env,
                     const std::string& policy) {
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate),
                                      {.count = kEpisodes});
  const auto stream = registry.stream(env, episodes);
  const auto player = registry.policy(policy, stream->spec());
  const std::size_t metric = stream->spec().metric("avg_wait_s");
  double sum_s = 0;
  park::play(*stream, *player, park::Rng(1), [&](const auto& decisions, const auto&) {
    if (!decisions.ended.empty()) sum_s += decisions.metrics_of(0)[metric];  // one at a time
  });
  return sum_s / kEpisodes;
}

/// First come, first served: Pollaczek, Khinchine 1930. E[W] = lambda E[S^2] / (2 (1 - rho)).
double fifo_wait_s(double lambda, double mean_s, double second_moment) {
  return lambda * second_moment / (2 * (1 - lambda * mean_s));
}

/// Shortest first with exponential sizes of mean 1: Phipps 1956. E[W] is the mean over sizes x of
/// lambda E[S^2] / (2 (1 - rho(x))^2), where rho(x) is the load of the jobs shorter than x.
double shortest_wait_s(double lambda) {
  constexpr double kStep = 1e-3;
  double mean_s = 0;
  for (double x = kStep / 2; x < 40; x += kStep) {
    const double load = lambda * (1 - (1 + x) * std::exp(-x));
    mean_s += kStep * std::exp(-x) * lambda / ((1 - load) * (1 - load));
  }
  return mean_s;
}

bool near(const char* what, double found_s, double expected_s) {
  const bool good = std::abs(found_s - expected_s) < 0.03 * expected_s;
  std::cout << what << ": mean wait " << found_s << " s, theory " << expected_s << " s"
            << (good ? "" : ", which differs by more than 3 %") << '\n';
  return good;
}

}  // namespace

int main() {
  const park::Registry registry = project::newenv::registry();
  const std::string half = "newenv(jobs=20000,interval_s=2)";  // lambda 0.5
  const std::string constant = "newenv(jobs=20000,interval_s=2,sizes=constant)";
  bool good = near("M/M/1, first come", played_wait_s(registry, half, "newenv_fifo"),
                   fifo_wait_s(0.5, 1, 2));
  good &= near("M/D/1, first come", played_wait_s(registry, constant, "newenv_fifo"),
               fifo_wait_s(0.5, 1, 1));
  good &= near("M/M/1, shortest first", played_wait_s(registry, half, "newenv_shortest"),
               shortest_wait_s(0.5));
  return good ? 0 : 1;
}
