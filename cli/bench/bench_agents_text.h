#pragma once

#include <string>

#include "park/bench/agent_figures.h"
#include "park/bench/bench_results.h"

namespace park::cli {

/// Figures of agents for people. Nothing where the suite has no agents. The results count failed
/// episodes. The text has:
/// - scores of agents by environment,
/// - scores over environments, of agents that were trained in all of them,
/// - what trained policies reach elsewhere, as a matrix for each agent,
/// - what the trainings cost.
[[nodiscard]] std::string bench_agents_text(const bench::BenchResults&, std::size_t width);

/// A figure with its interval, in so many decimals.
[[nodiscard]] std::string estimate_text(const bench::Estimate&, int decimals = 3);

}  // namespace park::cli
