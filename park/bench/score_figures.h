#pragma once

#include <string>
#include <vector>

#include "park/bench/bench_results.h"
#include "park/bench/bootstrap.h"
#include "park/bench/summary.h"

namespace park::bench {

/// A figure with its 95 % interval.
struct Estimate {
  double value = kUndefined;
  Interval interval{};
};

/// A policy in one environment, beside the scale there (scores.h).
struct Standing {
  std::size_t entry = 0;
  Estimate score{}, percent_better{}, percent_to_bound{};
};

/// A policy over all environments of the suite in which it has a score. The environments weigh alike.
/// A trained policy is one of its agent's, whose scores are in agent_figures.h.
struct PolicyScores {
  std::string policy{};
  std::vector<std::size_t> environments{};
  Estimate mean{}, median{}, iqm{}, optimality_gap{};  ///< of the scores of episodes (aggregate.h)
  std::vector<Estimate> profile{};  ///< share of the episodes with a score above each limit
};

struct ScoreFigures {
  std::vector<Standing> standings{};  ///< environment by environment, in the order of the entries
  std::vector<PolicyScores> policies{};  ///< in the order of their first standing
};

/// Scores and their intervals, by a bootstrap over episodes. A replicate draws the episodes of an
/// environment once for all of its policies, and takes the scale from them anew. The scale says
/// which baseline is best, and what the means are. So intervals contain the uncertainty of the
/// scale, and what policies have in common on an episode does not count as noise. Environments
/// without a scale have no figures.
[[nodiscard]] ScoreFigures score_figures(const BenchResults&, const BootstrapOptions& = {});

/// The limits at which profiles are taken.
[[nodiscard]] std::vector<double> profile_limits();

}  // namespace park::bench
