// Results as lines of CSV. Figures writes lines that have their first cells in common; bench_csv lists
// the rows, bench_summary_csv the figures that results.json has too: metrics, comparisons, standings,
// scores of policies and of agents. `park bench` writes both files.
#include "cli/bench/bench_csv.h"

#include <cmath>

#include "park/bench/agent_figures.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/figures.h"
#include "park/bench/score_figures.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// Undefined values are empty.
std::string cell(double value) { return std::isnan(value) ? "" : number_text(value); }

std::string line(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& one : cells) text += cell(one) + ',';
  text.back() = '\n';
  return text;
}

/// Lines of figures that have their first cells in common.
class Figures {
 public:
  Figures(std::string& text, std::vector<std::string> front)
      : text_(text), front_(std::move(front)) {}

  void add(const char* figure, double value) { add_cells({figure, cell(value), "", "", ""}); }
  void add(const char* figure, double value, const char* kind, const bench::Interval& interval) {
    add_cells({figure, cell(value), kind, cell(interval.low), cell(interval.high)});
  }

 private:
  void add_cells(const std::vector<std::string>& more) {
    std::vector<std::string> cells = front_;
    cells.insert(cells.end(), more.begin(), more.end());
    text_ += line(cells);
  }

  std::string& text_;
  std::vector<std::string> front_;
};

constexpr const char* kBootstrap = "bootstrap95";

void add_metrics(const bench::EnvFacts& env, const bench::Entry& entry, std::string& text) {
  for (std::size_t m = 0; m < env.metrics.size(); ++m) {
    const auto of = bench::metric_figures(bench::metric_values(entry.episodes, m));
    Figures to(text, {env.text, entry.policy, "", env.metrics[m].name, env.metrics[m].unit});
    to.add("mean", of.summary.mean, "ci95", of.summary.ci95);
    to.add("mean", of.summary.mean, kBootstrap, of.mean_bootstrap);
    to.add("sd", of.summary.sd);
    to.add("iqm", of.iqm, kBootstrap, of.iqm_bootstrap);
  }
}

void add_comparison(const bench::BenchResults& results, const bench::Comparison& one,
                    std::string& text) {
  const bench::Entry& policy = results.entries[one.policy];
  const bench::EnvFacts& env = results.environments[policy.env];
  const Metric& metric = env.metrics[one.metric];
  const std::string& against = results.entries[one.against].policy;
  Figures to(text, {env.text, policy.policy, against, metric.name, metric.unit});
  to.add("mean_difference", one.difference.mean, "ci95", one.difference.ci95);
  to.add("mean_difference", one.difference.mean, kBootstrap, one.difference_bootstrap);
  Figures share(text, {env.text, policy.policy, against, metric.name, "1"});
  share.add("probability_of_improvement", one.improvement, kBootstrap, one.improvement_bootstrap);
}

void add_standing(const bench::BenchResults& results, const bench::Standing& one,
                  std::string& text) {
  const bench::Entry& entry = results.entries[one.entry];
  const auto add = [&](const char* metric, const char* unit, const bench::Estimate& estimate) {
    Figures to(text, {results.environments[entry.env].text, entry.policy, "", metric, unit});
    to.add("mean", estimate.value, kBootstrap, estimate.interval);
  };
  add("score", "1", one.score);
  add("percent_better", "%", one.percent_better);
  add("percent_to_bound", "%", one.percent_to_bound);
}

/// The policy is an agent; where it was trained on another environment, `against` names that.
void add_agent(const bench::BenchResults& results, const bench::AgentStanding& one,
               std::string& text) {
  const std::string& there = results.environments[one.trained_on].text;
  Figures to(text, {results.environments[one.env].text, "agent " + one.agent,
                    one.trained_on == one.env ? "" : "trained on " + there, "score", "1"});
  to.add("mean", one.mean.value, kBootstrap, one.mean.interval);
  to.add("iqm", one.iqm.value, kBootstrap, one.iqm.interval);
}

/// PolicyScores or AgentScores.
template <class Scores>
void add_scores(const std::string& name, const Scores& policy, std::string& text) {
  Figures to(text, {"", name, "", "score", "1"});
  const auto add = [&](const char* figure, const bench::Estimate& estimate) {
    to.add(figure, estimate.value, kBootstrap, estimate.interval);
  };
  add("mean", policy.mean);
  add("median", policy.median);
  add("iqm", policy.iqm);
  add("optimality_gap", policy.optimality_gap);
}

}  // namespace

std::string bench_csv(const bench::BenchResults& results) {
  std::string text = "env,policy,seed,episode,metric,unit,value\n";
  for (const bench::Entry& entry : results.entries) {
    const bench::EnvFacts& env = results.environments[entry.env];
    const auto add = [&](const bench::EpisodeResult& episode, const Metric& metric, double value) {
      text += line({env.text, entry.policy, std::to_string(results.suite.seed),
                    std::to_string(episode.id), metric.name, metric.unit, cell(value)});
    };
    for (const bench::EpisodeResult& episode : entry.episodes) {
      for (std::size_t m = 0; m < env.metrics.size(); ++m)
        add(episode, env.metrics[m], bench::metric_value(episode, m));
      add(episode, {.name = "decisions", .unit = "1"}, static_cast<double>(episode.decisions));
      add(episode, {.name = "events", .unit = "1"}, static_cast<double>(episode.events));
    }
  }
  return text;
}

std::string bench_summary_csv(const bench::BenchResults& played) {
  const bench::BenchResults results = bench::with_failures(played);
  std::string text = "env,policy,against,metric,unit,figure,value,interval,low,high\n";
  for (const bench::Entry& entry : results.entries)
    if (!entry.episodes.empty()) add_metrics(results.environments[entry.env], entry, text);
  for (const bench::Comparison& one : bench::comparisons(results))
    add_comparison(results, one, text);
  const bench::ScoreFigures figures = bench::score_figures(results);
  for (const bench::Standing& one : figures.standings) add_standing(results, one, text);
  for (const bench::PolicyScores& policy : figures.policies)
    add_scores(policy.policy, policy, text);
  const bench::AgentFigures agents = bench::agent_figures(results);
  for (const bench::AgentStanding& one : agents.standings) add_agent(results, one, text);
  for (const bench::AgentScores& one : agents.scores)
    if (one.everywhere) add_scores("agent " + one.agent, one, text);
  return text;
}

}  // namespace park::cli
