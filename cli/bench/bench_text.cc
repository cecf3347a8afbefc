#include "cli/bench/bench_text.h"

#include <algorithm>
#include <cmath>

#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/figures.h"
#include "park/bench/scores.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

using Align = Table::Align;

std::string estimate_text(const bench::Estimate& estimate) {
  const double value = std::abs(estimate.value) < 0.5e-3 ? 0 : estimate.value;
  return rounded(value, 3) + ' ' + interval_text(estimate.interval, 3);
}

/// The figures of one policy in one environment, as cells.
class EnvTable {
 public:
  EnvTable(const bench::BenchResults& results, std::size_t env)
      : results_(results),
        env_(env),
        entries_(bench::entries_of(results, env)),
        scale_(bench::scale_of(results, env)) {
    for (const std::string& name : results.suite.environments[env].metrics)
      metrics_.push_back(bench::metric_index(results.environments[env], name));
    for (const std::size_t m : metrics_) decimals_.push_back(decimals_of(m));
  }

  [[nodiscard]] Table table() const {
    std::vector<Table::Column> columns{{"policy"}, {"", Align::left}};
    for (const std::size_t m : metrics_) columns.push_back({heading(m), Align::right});
    for (const char* name : {"interval", "iqm", "score", "difference to best", "wins"})
      columns.push_back({name, Align::right});
    Table table(columns);
    for (const std::size_t i : entries_) table.add(row(i));
    return table;
  }

 private:
  [[nodiscard]] int decimals_of(std::size_t metric) const {
    std::vector<double> means;
    for (const std::size_t i : entries_) means.push_back(bench::summarize(values(i, metric)).mean);
    return decimals_for(means);
  }
  [[nodiscard]] std::vector<double> values(std::size_t entry, std::size_t metric) const {
    return bench::metric_values(results_.entries[entry].episodes, metric);
  }
  [[nodiscard]] std::string heading(std::size_t metric) const {
    const Metric& about = results_.environments[env_].metrics[metric];
    return about.name + (about.unit == "1" ? "" : " [" + about.unit + ']');
  }

  [[nodiscard]] std::vector<std::string> row(std::size_t i) const {
    const bench::Entry& entry = results_.entries[i];
    std::vector<std::string> cells{entry.policy, entry.baseline ? "" : "+"};
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      cells.push_back(rounded(bench::summarize(values(i, metrics_[m])).mean, decimals_[m]));
    const bench::MetricFigures figures = bench::metric_figures(values(i, metrics_.front()));
    cells.push_back(interval_text(figures.mean_bootstrap, decimals_.front()));
    cells.push_back(rounded(figures.iqm, decimals_.front()));
    if (!scale_) return cells;
    cells.push_back(rounded(scale_->score(figures.summary.mean), 3));
    if (i == scale_->best) return cells;
    const bench::Comparison to_best = bench::compare(results_, i, scale_->best, scale_->metric);
    cells.push_back(signed_text(to_best.difference.mean, decimals_.front()) + ' ' +
                    interval_text(to_best.difference_bootstrap, decimals_.front()));
    cells.push_back(rounded(100 * to_best.wins, 0) + " %");
    return cells;
  }

  const bench::BenchResults& results_;
  std::size_t env_;
  std::vector<std::size_t> entries_, metrics_;
  std::vector<int> decimals_;
  std::optional<bench::Scale> scale_;
};

std::string env_text(const bench::BenchResults& results, std::size_t env, std::size_t width) {
  const bench::SuiteEnv& of_suite = results.suite.environments[env];
  return printable(results.environments[env].text) + "\n" + plural(of_suite.episodes, "episode") +
         "; score 0 is random, 1 the best baseline; + judged beside the baselines\n\n" +
         EnvTable(results, env).table().text(0, width) + '\n';
}

std::string scores_text(const bench::BenchResults& results, std::size_t width) {
  Table table({{"score over environments"},
               {"environments", Align::right},
               {"iqm", Align::right},
               {"mean", Align::right},
               {"optimality gap", Align::right}});
  for (const bench::PolicyScores& policy : bench::policy_scores(results)) {
    if (policy.environments.size() < 2) continue;
    const bench::Aggregates all = bench::aggregates(policy);
    table.add({policy.policy, std::to_string(policy.environments.size()), estimate_text(all.iqm),
               estimate_text(all.mean), estimate_text(all.optimality_gap)});
  }
  return table.empty() ? "" : table.text(0, width) + '\n';
}

std::string failures_text(const bench::BenchResults& results) {
  std::string text;
  for (const bench::EpisodeFailure& failure : results.failures) {
    const bench::Entry& entry = results.entries[failure.entry];
    text += printable("failed: " + results.environments[entry.env].text + ", " + entry.policy +
                          ", " + plural(failure.count, "episode") + " from " +
                          std::to_string(failure.first) + ": " + failure.error,
                      "\n") +
            '\n';
  }
  return text;
}

}  // namespace

std::string bench_text(const bench::BenchResults& results, std::size_t width) {
  std::string text = printable(results.suite.name + ": " + results.suite.summary) + "\nseed " +
                     std::to_string(results.suite.seed) +
                     (results.interrupted ? "; interrupted: only finished episodes count" : "") +
                     "\n\n";
  const bench::BenchResults counted = bench::with_failures(results);
  for (std::size_t e = 0; e < results.environments.size(); ++e) text += env_text(counted, e, width);
  return text + scores_text(counted, width) + failures_text(results);
}

}  // namespace park::cli
