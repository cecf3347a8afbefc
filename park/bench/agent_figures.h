#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/bench/score_figures.h"

namespace park::bench {

/// An agent trained on one environment, in one that its policies play. A training is one value: its
/// score is that of the mean over all episodes.
struct AgentStanding {
  std::string agent{};
  std::size_t env = 0, trained_on = 0;  ///< numbers in the suite
  std::vector<double> scores{};         ///< by training, in the order of the seeds
  Estimate mean{}, iqm{};               ///< intervals: over trainings
};

/// An agent over all environments of the suite, each with what was trained there.
struct AgentScores {
  std::string agent{};
  std::vector<std::size_t> environments{};  ///< those in which it has scores
  bool everywhere = false;                  ///< these are all that have a scale
  Estimate mean{}, median{}, iqm{}, optimality_gap{};
  std::vector<Estimate> profile{};  ///< share of the trainings with a score above each limit
};

/// What the trainings of an agent took, failed ones with their part.
struct AgentCost {
  std::string agent{};
  std::uint64_t trainings = 0, failed = 0, decisions = 0;
  double cpu_s = 0, wall_s = 0;
};

struct AgentFigures {
  std::vector<AgentStanding> standings{};  ///< agent by agent, in the order of the suite
  std::vector<AgentScores> scores{};
  std::vector<AgentCost> costs{};
};

/// Scores of agents, from results in which failed episodes count (failed_episodes.h). Intervals are
/// those of rliable (Agarwal et al., Deep Reinforcement Learning at the Edge of the Statistical
/// Precipice, 2021). They are the bootstrap over trainings, stratified by environment, with random
/// and the best baseline as they are. Environments without a scale have no figures.
[[nodiscard]] AgentFigures agent_figures(const BenchResults&, const BootstrapOptions& = {});

}  // namespace park::bench
