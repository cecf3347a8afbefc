#include "park/bench/agent_figures.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "park/bench/aggregate.h"
#include "park/bench/scores.h"

namespace park::bench {
namespace {

/// Estimates of figures of strata, in the order of the statistics.
std::vector<Estimate> estimates(const Strata& strata, const std::vector<Statistic>& statistics,
                                const BootstrapOptions& options) {
  const std::vector<Interval> intervals = bootstrap(strata, statistics, options);
  std::vector<Estimate> all;
  for (std::size_t i = 0; i < statistics.size(); ++i)
    all.push_back({strata.empty() ? kUndefined : statistics[i](strata), intervals[i]});
  return all;
}

/// The scores of the trained policies: by agent, environment trained on, environment played.
using Key = std::array<std::size_t, 3>;
std::map<Key, std::vector<double>> trained_scores(const BenchResults& results) {
  std::vector<std::optional<Scale>> scales;
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    scales.push_back(scale_of(results, e));
  std::map<Key, std::vector<double>> all;
  for (const Entry& entry : results.entries) {
    const std::optional<Scale>& scale = scales[entry.env];
    if (!entry.training || !scale) continue;
    const auto agent =
        std::ranges::find(results.suite.agents, entry.training->agent, &SuiteAgent::name);
    const double mean = summarize(metric_values(entry.episodes, scale->metric)).mean;
    all[{static_cast<std::size_t>(agent - results.suite.agents.begin()), entry.training->env,
         entry.env}]
        .push_back(scale->score(mean));
  }
  return all;
}

/// An agent over the environments; each stratum has the scores of its trainings.
AgentScores scores_over(const std::string& agent, Strata strata, const BootstrapOptions& options) {
  const std::vector<double> limits = profile_limits();
  std::vector<Statistic> statistics{mean_of, median_of_means, interquartile_mean, optimality_gap};
  for (const double limit : limits)
    statistics.emplace_back([limit](const Strata& drawn) {
      return profile(drawn, {&limit, 1}).front();
    });
  const std::vector<Estimate> all =
      estimates(sorted_strata(std::move(strata)), statistics, options);
  return {.agent = agent,
          .mean = all[0],
          .median = all[1],
          .iqm = all[2],
          .optimality_gap = all[3],
          .profile = {all.begin() + 4, all.end()}};
}

AgentCost cost_of(const BenchResults& results, const std::string& agent) {
  AgentCost cost{.agent = agent};
  for (const Entry& entry : results.entries) {
    if (!entry.training || entry.training->agent != agent || entry.training->env != entry.env)
      continue;
    const Training& training = *entry.training;
    cost.trainings += 1;
    cost.failed += training.error.empty() ? 0 : 1;
    cost.decisions += training.decisions;
    cost.cpu_s += training.cpu_s;
    cost.wall_s += training.wall_s;
  }
  return cost;
}

}  // namespace

AgentFigures agent_figures(const BenchResults& results, const BootstrapOptions& options) {
  AgentFigures figures;
  const auto scores = trained_scores(results);
  std::size_t scaled = 0;
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    scaled += scale_of(results, e).has_value() ? 1 : 0;
  for (std::size_t a = 0; a < results.suite.agents.size(); ++a) {
    const std::string& agent = results.suite.agents[a].name;
    Strata strata;
    std::vector<std::size_t> environments;
    for (const auto& [key, values] : scores) {
      const auto& [of, trained_on, env] = key;
      if (of != a) continue;
      const std::vector<Estimate> both =
          estimates(sorted_strata({values}), {mean_of, interquartile_mean}, options);
      figures.standings.push_back({agent, env, trained_on, values, both[0], both[1]});
      if (env != trained_on) continue;
      strata.push_back(values);
      environments.push_back(env);
    }
    figures.scores.push_back(scores_over(agent, std::move(strata), options));
    figures.scores.back().everywhere = !environments.empty() && environments.size() == scaled;
    figures.scores.back().environments = std::move(environments);
    figures.costs.push_back(cost_of(results, agent));
  }
  return figures;
}

}  // namespace park::bench
