#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

// Estimates with their confidence intervals, and the exact figures of queueing theory.
namespace park::test {

inline constexpr double kStudent = 3.65;  // two-sided 99.9 %, 30 degrees of freedom
inline constexpr std::uint64_t kEpisodes = 31;

struct Estimate {
  double mean = 0, half_width = 0;
};

inline Estimate estimate(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  for (const double v : values) squares += (v - sum / n) * (v - sum / n);
  return {sum / n, kStudent * std::sqrt(squares / (n - 1) / n)};
}

inline const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return all;
}

/// The figures of every episode, by metric. Episode k has the same jobs for every policy.
using Figures = std::map<std::string, std::vector<double>>;

template <class Visit>
Figures play_episodes(const std::string& env, const std::string& policy_text,
                      std::uint64_t episodes, Visit&& visit) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = episodes});
  const auto stream = registry().stream(env, source, {.slots = 16});
  const auto policy = registry().policy(policy_text, stream->spec());
  const auto& names = stream->spec().metrics;
  std::vector<std::vector<double>> by_episode(episodes);
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch& actions) {
    visit(d, actions);
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const std::span<const double> all = d.metrics_of(i);
      by_episode[d.ended[i].episode.id].assign(all.begin(), all.end());
    }
  });
  Figures figures;
  for (std::size_t m = 0; m < names.size(); ++m)
    for (const auto& episode : by_episode) figures[names[m].name].push_back(episode.at(m));
  return figures;
}

inline Figures play_episodes(const std::string& env, const std::string& policy) {
  return play_episodes(env, policy, kEpisodes, [](const Decisions&, const Batch&) {});
}

inline void expect_mean(const std::vector<double>& values, double exact, double widest) {
  const Estimate e = estimate(values);
  EXPECT_NEAR(e.mean, exact, e.half_width);
  EXPECT_LT(e.half_width, widest * exact) << "the interval says too little";
}

/// The probability that an arrival waits in M/M/k with the offered load a = arrivals / rate.
inline double erlang_c(int k, double a) {
  double term = 1, sum = 1;  // a^i / i!
  for (int i = 1; i < k; ++i) sum += term *= a / i;
  term *= a / k * k / (k - a);
  return term / (sum + term);
}

/// Pollaczek and Khinchine: the mean response time of M/G/1.
inline double pollaczek_khinchine(double arrival_rate, double mean, double second_moment) {
  return mean + arrival_rate * second_moment / (2 * (1 - arrival_rate * mean));
}

}  // namespace park::test
