// Which episodes an iteration plays: sequences, dynamics, horizons.
#include "agents/kit/training_episodes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace park::agents {
namespace training_episodes_test {

std::vector<Episode> list(const FixedEpisodes& source) {
  std::vector<Episode> all;
  for (std::uint64_t k = 0; source.at(k); ++k) all.push_back(*source.at(k));
  return all;
}

std::vector<Episode> of(const TrainingEpisodes& e, std::uint64_t iteration, std::uint64_t run = 1) {
  return list(e.of(Rng(run), iteration));
}

TEST(TrainingEpisodes, RolloutsShareWhatComesFromOutside) {
  for (const bool share : {true, false}) {
    const auto all =
        of({.sequences = 3, .rollouts = 4, .share_dynamics = share, .mean_horizon_s = 10}, 0);
    ASSERT_EQ(all.size(), 12u);
    std::set<std::uint64_t> inputs, dynamics;
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[k].inputs, all[k / 4 * 4].inputs);
      EXPECT_EQ(all[k].horizon_s, all[k / 4 * 4].horizon_s);
      inputs.insert(all[k].inputs);
      dynamics.insert(all[k].dynamics);
    }
    EXPECT_EQ(inputs.size(), 3u);
    EXPECT_EQ(dynamics.size(), share ? 3u : 12u);
  }
}

TEST(TrainingEpisodes, AreAFunctionOfRunAndIteration) {
  const TrainingEpisodes e{.sequences = 2, .rollouts = 2, .mean_horizon_s = 10};
  EXPECT_EQ(of(e, 5)[0].inputs, of(e, 5)[0].inputs);
  EXPECT_EQ(of(e, 5)[0].horizon_s, of(e, 5)[0].horizon_s);
  EXPECT_NE(of(e, 5)[0].inputs, of(e, 6)[0].inputs);
  EXPECT_NE(of(e, 5)[0].horizon_s, of(e, 6)[0].horizon_s);
  EXPECT_NE(of(e, 5)[0].inputs, of(e, 5, 2)[0].inputs);
}

TEST(TrainingEpisodes, FixedSequencesComeBackEquallyOften) {
  const TrainingEpisodes e{.sequences = 3, .rollouts = 2, .mean_horizon_s = 10, .fixed = 5};
  std::map<std::uint64_t, std::set<std::uint64_t>> dynamics;  // of inputs
  std::map<std::uint64_t, int> visits;
  std::set<double> horizons;
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::set<std::uint64_t> now;
    for (const Episode& episode : of(e, i)) {
      now.insert(episode.inputs);
      dynamics[episode.inputs].insert(episode.dynamics);
      horizons.insert(episode.horizon_s);
      ++visits[episode.inputs];
    }
    EXPECT_EQ(now.size(), 3u);  // of an iteration they differ
  }
  ASSERT_EQ(visits.size(), 5u);
  for (std::uint32_t s = 0; s < 5; ++s) {
    const std::uint64_t inputs = fixed_inputs(Rng(1), s);
    EXPECT_NEAR(visits[inputs], 240, 5 * std::sqrt(2 * 240 * 0.4));
    EXPECT_EQ(dynamics[inputs].size(), 1u);
  }
  EXPECT_EQ(horizons.size(), 600u);  // a horizon is no part of a sequence
}

TEST(TrainingEpisodes, MoreSequencesThanThereAreFixedOnesPlayThemAllEquallyOften) {
  std::map<std::uint64_t, int> visits;
  for (const Episode& e : of({.sequences = 6, .rollouts = 2, .fixed = 3}, 7)) ++visits[e.inputs];
  EXPECT_EQ(visits.size(), 3u);
  for (const auto& [inputs, n] : visits) EXPECT_EQ(n, 4);
}

TEST(TrainingEpisodes, HorizonsAreMemoryless) {
  const TrainingEpisodes e{.sequences = 20000, .rollouts = 1, .mean_horizon_s = 50};
  double sum = 0, over = 0;
  for (const Episode& episode : of(e, 3)) {
    sum += episode.horizon_s;
    over += episode.horizon_s > 50 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 20000, 50, 3 * 50 / std::sqrt(20000.0));  // three standard errors
  const double tail = std::exp(-1.0);
  EXPECT_NEAR(over / 20000, tail, 3 * std::sqrt(tail * (1 - tail) / 20000));
  EXPECT_TRUE(std::isinf(of({.sequences = 1, .rollouts = 1}, 0)[0].horizon_s));
}

TEST(HorizonGrowth, IsGeometric) {
  const HorizonGrowth growth{.first_s = 10, .until = 0.5};
  EXPECT_DOUBLE_EQ(growth.mean_s(1000, 0), 10);
  EXPECT_DOUBLE_EQ(growth.mean_s(1000, 0.25), 100);
  EXPECT_NEAR(growth.mean_s(1000, 0.4999999), 1000, 0.01);
  EXPECT_EQ(growth.mean_s(1000, 0.5), 1000);
  const HorizonGrowth given{.first_s = 10, .last_s = 40, .until = 0.8};
  EXPECT_DOUBLE_EQ(given.mean_s(kInf, 0.4), 20);
  EXPECT_EQ(given.mean_s(kInf, 0.8), kInf);  // no horizon at all
  EXPECT_EQ(HorizonGrowth{}.mean_s(77, 0.1), 77);
}

}  // namespace training_episodes_test
}  // namespace park::agents
