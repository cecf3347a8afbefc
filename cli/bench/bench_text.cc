// Tables of results for people. bench_text counts failures as the worst, computes the scores once and
// writes two tables for each environment, with EnvTables; then come the scores over environments and
// a line per failure. `park bench` prints it.
#include "cli/bench/bench_text.h"

#include <algorithm>
#include <cmath>

#include "cli/bench/bench_agents_text.h"
#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/figures.h"
#include "park/bench/score_figures.h"
#include "park/bench/scores.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

/// "POLICY (2 failed)" where episodes count as the worst.
std::string policy_text(const bench::BenchResults& results, const bench::Entry& entry) {
  std::string name = bench::entry_name(results, entry);
  if (entry.failed.empty()) return name;
  return name + " (" + std::to_string(entry.failed.size()) + " failed)";
}

/// The figures of the policies in one environment, as tables.
class EnvTables {
 public:
  EnvTables(const bench::BenchResults& results, std::size_t env)
      : results_(results), env_(env), entries_(bench::entries_of(results, env)) {
    for (const std::string& name : results.suite.environments[env].metrics)
      metrics_.push_back(bench::metric_index(results.environments[env], name));
    for (const std::size_t m : metrics_) decimals_.push_back(decimals_of(m));
  }

  [[nodiscard]] Table metrics() const {
    std::vector<Table::Column> columns{{"policy"}, {"", Table::Align::left}};
    for (const std::size_t m : metrics_) columns.push_back({heading(m), Table::Align::right});
    for (const char* name : {"95 % interval", "iqm"})
      columns.push_back({name, Table::Align::right});
    Table table(columns);
    for (const std::size_t i : entries_) table.add(metrics_row(i));
    return table;
  }

  /// Against the best baseline and the bound, in the first metric. Empty where there is no scale.
  [[nodiscard]] Table standings(const bench::ScoreFigures& figures) const {
    const std::optional<bench::Scale> scale = bench::scale_of(results_, env_);
    if (!scale) return Table({});
    std::vector<Table::Column> columns{{"policy"}, {"score", Table::Align::right}};
    const auto add = [&](const std::string& name) {
      columns.push_back({name, Table::Align::right});
    };
    add("% better than " + results_.entries[scale->best].policy);
    if (scale->bound) add("% to " + results_.entries[*scale->bound].policy);
    add("difference");
    add("P(better)");
    Table table(columns);
    for (const bench::Standing& one : figures.standings)
      if (results_.entries[one.entry].env == env_) table.add(standing_row(one, *scale));
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

  [[nodiscard]] std::vector<std::string> metrics_row(std::size_t i) const {
    const bench::Entry& entry = results_.entries[i];
    std::vector<std::string> cells{policy_text(results_, entry), entry.baseline ? "" : "+"};
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      cells.push_back(rounded(bench::summarize(values(i, metrics_[m])).mean, decimals_[m]));
    const bench::MetricFigures figures = bench::metric_figures(values(i, metrics_.front()));
    cells.push_back(interval_text(figures.mean_bootstrap, decimals_.front()));
    cells.push_back(rounded(figures.iqm, decimals_.front()));
    return cells;
  }

  [[nodiscard]] std::vector<std::string> standing_row(const bench::Standing& one,
                                                      const bench::Scale& scale) const {
    std::vector<std::string> cells{bench::entry_name(results_, results_.entries[one.entry]),
                                   estimate_text(one.score), estimate_text(one.percent_better, 1)};
    if (scale.bound) cells.push_back(estimate_text(one.percent_to_bound, 1));
    if (one.entry == scale.best) return cells;
    const bench::Comparison to_best = bench::compare(results_, one.entry, scale.best, scale.metric);
    cells.push_back(signed_text(to_best.difference.mean, decimals_.front()) + ' ' +
                    interval_text(to_best.difference_bootstrap, decimals_.front()));
    cells.push_back(estimate_text({to_best.improvement, to_best.improvement_bootstrap}, 2));
    return cells;
  }

  const bench::BenchResults& results_;
  std::size_t env_;
  std::vector<std::size_t> entries_, metrics_;
  std::vector<int> decimals_;
};

std::string env_text(const bench::BenchResults& results, std::size_t env,
                     const bench::ScoreFigures& figures, std::size_t width) {
  const EnvTables tables(results, env);
  std::string text = printable(results.environments[env].text) + "\n" +
                     plural(results.suite.environments[env].episodes, "episode") +
                     "; score 0 is random, 1 the best baseline; + judged beside the baselines\n\n" +
                     tables.metrics().text(0, width) + '\n';
  const Table standings = tables.standings(figures);
  return standings.empty() ? text : text + standings.text(0, width) + '\n';
}

/// Of the policies that have a score in each environment; nothing where there are no two to compare.
std::string scores_text(const bench::ScoreFigures& figures, std::size_t environments,
                        std::size_t width) {
  Table table({{"score over environments"},
               {"environments", Table::Align::right},
               {"iqm", Table::Align::right},
               {"mean", Table::Align::right},
               {"optimality gap", Table::Align::right}});
  std::size_t rows = 0;
  for (const bench::PolicyScores& policy : figures.policies) {
    if (environments < 2 || policy.environments.size() < environments) continue;
    ++rows;
    table.add({policy.policy, std::to_string(policy.environments.size()), estimate_text(policy.iqm),
               estimate_text(policy.mean), estimate_text(policy.optimality_gap)});
  }
  if (rows < 2) return "";
  return "Policies that play in all environments; intervals are over training seeds:\n" +
         table.text(0, width) + '\n';
}

std::string failures_text(const bench::BenchResults& results) {
  std::string text;
  for (const bench::EpisodeFailure& failure : results.failures) {
    const bench::Entry& entry = results.entries[failure.entry];
    text +=
        printable("failed: " + results.environments[entry.env].text + ", " +
                      bench::entry_name(results, entry) + ", " + plural(failure.count, "episode") +
                      " from " + std::to_string(failure.first) + ": " + failure.error,
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
  const bench::ScoreFigures figures = bench::score_figures(counted);
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    text += env_text(counted, e, figures, width);
  std::size_t scaled = 0;
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    scaled += bench::scale_of(counted, e) ? 1 : 0;
  return text + scores_text(figures, scaled, width) + bench_agents_text(counted, width) +
         failures_text(results);
}

}  // namespace park::cli
