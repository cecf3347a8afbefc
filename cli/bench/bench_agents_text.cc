#include "cli/bench/bench_agents_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "park/command/numbers.h"
#include "park/command/table.h"

namespace park::cli {
namespace {

using AgentAlign = Table::Align;

/// Agents by environment, each with what it was trained on there.
std::string standings_text(const bench::BenchResults& results, const bench::AgentFigures& figures,
                           std::size_t width) {
  Table table({{"agent, score by environment"},
               {"trainings", AgentAlign::right},
               {"mean", AgentAlign::right},
               {"least", AgentAlign::right},
               {"most", AgentAlign::right}});
  for (std::size_t e = 0; e < results.environments.size(); ++e) {
    table.add_heading(results.environments[e].text);
    for (const bench::AgentStanding& one : figures.standings) {
      if (one.env != e || one.trained_on != e) continue;
      const auto [least, most] = std::ranges::minmax_element(one.scores);
      table.add({"  " + one.agent, std::to_string(one.scores.size()), estimate_text(one.mean),
                 rounded(*least, 3), rounded(*most, 3)});
    }
    for (const bench::Unfit& one : results.unfit)
      if (one.env == e) table.add({"  " + one.agent, "does not fit", "", "", ""});
  }
  return table.text(0, width) + '\n';
}

std::string across_text(const bench::AgentFigures& figures, std::size_t width) {
  Table table({{"agent, score over environments"},
               {"environments", AgentAlign::right},
               {"iqm", AgentAlign::right},
               {"mean", AgentAlign::right},
               {"median", AgentAlign::right},
               {"optimality gap", AgentAlign::right}});
  for (const bench::AgentScores& one : figures.scores)
    if (one.everywhere)
      table.add({one.agent, std::to_string(one.environments.size()), estimate_text(one.iqm),
                 estimate_text(one.mean), estimate_text(one.median),
                 estimate_text(one.optimality_gap)});
  return table.empty() ? "" : table.text(0, width) + '\n';
}

/// The mean score of an agent that was trained on one environment and plays another.
std::string cell(const bench::AgentFigures& figures, const std::string& agent, std::size_t on,
                 std::size_t env) {
  for (const bench::AgentStanding& one : figures.standings)
    if (one.agent == agent && one.trained_on == on && one.env == env)
      return rounded(one.mean.value, 3);
  return "";
}

/// A matrix for each agent and group of environments that its policies play: trained on (rows), played
/// on (columns, by the numbers of the rows).
std::string matrix_text(const bench::BenchResults& results, const bench::AgentFigures& figures,
                        const std::string& agent, const std::vector<std::size_t>& group,
                        std::size_t width) {
  std::vector<Table::Column> columns{{agent + ", trained on (score on 1, 2, ...)"}};
  for (std::size_t i = 0; i < group.size(); ++i)
    columns.push_back({std::to_string(i + 1), AgentAlign::right});
  Table table(columns);
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::vector<std::string> cells{std::to_string(i + 1) + "  " +
                                   results.environments[group[i]].text};
    for (const std::size_t env : group) cells.push_back(cell(figures, agent, group[i], env));
    table.add(cells);
  }
  return table.text(0, width) + '\n';
}

std::string matrices_text(const bench::BenchResults& results, const bench::AgentFigures& figures,
                          std::size_t width) {
  if (!results.suite.training.transfer) return "";
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    groups[results.suite.environments[e].name].push_back(e);
  std::string text;
  for (const auto& [name, group] : groups)
    for (const bench::SuiteAgent& agent : results.suite.agents)
      if (group.size() > 1) text += matrix_text(results, figures, agent.name, group, width);
  return text;
}

std::string costs_text(const bench::AgentFigures& figures, std::size_t width) {
  Table table({{"agent, cost of training"},
               {"trainings", AgentAlign::right},
               {"failed", AgentAlign::right},
               {"decisions", AgentAlign::right},
               {"CPU time", AgentAlign::right},
               {"time", AgentAlign::right}});
  for (const bench::AgentCost& one : figures.costs)
    table.add({one.agent, std::to_string(one.trainings), std::to_string(one.failed),
               count_text(static_cast<double>(one.decisions)), duration_text(one.cpu_s),
               duration_text(one.wall_s)});
  return table.text(0, width) + '\n';
}

}  // namespace

std::string estimate_text(const bench::Estimate& estimate, int decimals) {
  const double least = 0.5 * std::pow(10, -decimals);
  const double value = std::abs(estimate.value) < least ? 0 : estimate.value;
  return std::isnan(value)
             ? "-"
             : rounded(value, decimals) + ' ' + interval_text(estimate.interval, decimals);
}

std::string bench_agents_text(const bench::BenchResults& results, std::size_t width) {
  if (results.suite.agents.empty()) return "";
  const bench::AgentFigures figures = bench::agent_figures(results);
  return standings_text(results, figures, width) + across_text(figures, width) +
         matrices_text(results, figures, width) + costs_text(figures, width);
}

}  // namespace park::cli
