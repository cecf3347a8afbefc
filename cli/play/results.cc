// Tables of what policies reached. Results has one row of metrics per episode and policy; means,
// intervals and paired differences are computed while a text or a JSON document is written. The
// commands that play episodes call results_text, results_json and results_file.
#include "cli/play/results.h"

#include <algorithm>
#include <cmath>

#include "cli/frame/names.h"
#include "cli/frame/version.h"
#include "park/command/numbers.h"
#include "park/command/table.h"

namespace park::cli {
namespace {

constexpr std::size_t kLongestLabel = 34;

std::string better(const Metric& metric) { return metric.lower_is_better ? "lower" : "higher"; }

/// Names of policies short enough for a column; a long text becomes "name #2".
std::vector<std::string> labels(const Results& results) {
  std::vector<std::string> all;
  for (const PolicyResult& result : results.policies) {
    std::string label = result.policy;
    if (label.size() > kLongestLabel)
      label = label.substr(0, std::min(label.find('('), kLongestLabel - 4)) + " #" +
              std::to_string(all.size() + 1);
    all.push_back(std::move(label));
  }
  return all;
}

/// One metric of all policies.
struct Block {
  std::vector<Summary> summaries, differences;  ///< differences against the first policy
  int decimals = 0, difference_decimals = 0;
  double best = kUndefined;  ///< mean; undefined where all are equal
};

/// What is left of the rounding of sums is no difference.
void drop_rounding(Summary& difference, double mean) {
  constexpr double kNoise = 1e-12;
  const double least = kNoise * std::abs(mean);
  if (std::abs(difference.mean) < least && std::abs(difference.ci95.low) < least &&
      std::abs(difference.ci95.high) < least)
    difference.mean = difference.ci95.low = difference.ci95.high = 0;
}

Block make_block(const Results& results, std::size_t metric) {
  Block block;
  std::vector<double> means, offsets;
  for (const PolicyResult& result : results.policies) {
    block.summaries.push_back(summarize(column(result, metric)));
    block.differences.push_back(paired_difference(result, results.policies.front(), metric));
    drop_rounding(block.differences.back(), block.summaries.front().mean);
    means.push_back(block.summaries.back().mean);
    offsets.push_back(block.differences.back().mean);
  }
  const bool exact = std::ranges::all_of(block.summaries, [](const Summary& summary) {
    return summary.mean == std::floor(summary.mean) && summary.sd == 0;
  });
  block.decimals = exact ? 0 : decimals_for(means);
  block.difference_decimals = std::max(block.decimals, decimals_for(offsets, 2));
  const bool lower = results.metrics[metric].lower_is_better;
  for (const double mean : means)
    if (!std::isnan(mean) &&
        (std::isnan(block.best) || (lower ? mean < block.best : mean > block.best)))
      block.best = mean;
  const bool all_equal = std::ranges::all_of(means, [&](double mean) { return mean == means[0]; });
  if (all_equal) block.best = kUndefined;
  return block;
}

std::string percent_text(double difference, double base) {
  if (base == 0 || !std::isfinite(difference / base)) return "";
  const double percent = 100 * difference / std::abs(base);
  return signed_text(percent, std::abs(percent) < 10 ? 1 : 0) + " %";
}

/// One policy: a line per metric.
Table single_table(const Results& results) {
  using Align = Table::Align;
  Table table({{"metric"},
               {"unit"},
               {"better"},
               {"mean", Align::right},
               {"sd", Align::right},
               {"95 % interval", Align::right}});
  for (std::size_t m = 0; m < results.metrics.size(); ++m) {
    const Block block = make_block(results, m);
    const Summary& summary = block.summaries[0];
    const Metric& metric = results.metrics[m];
    table.add({metric.name, metric.unit, better(metric), rounded(summary.mean, block.decimals),
               rounded(summary.sd, block.decimals), interval_text(summary.ci95, block.decimals)});
  }
  table.add_blank();
  return table;
}

void add_block(Table& table, const Results& results, const std::vector<std::string>& names,
               std::size_t metric) {
  const Block block = make_block(results, metric);
  const Metric& about = results.metrics[metric];
  table.add_heading(about.name + " [" + about.unit + "], " + better(about) + " is better");
  for (std::size_t p = 0; p < names.size(); ++p) {
    const Summary& summary = block.summaries[p];
    const Summary& difference = block.differences[p];
    std::vector<std::string> row{"  " + names[p], rounded(summary.mean, block.decimals),
                                 summary.mean == block.best ? "*" : "",
                                 interval_text(summary.ci95, block.decimals)};
    if (p > 0) {
      row.push_back(signed_text(difference.mean, block.difference_decimals));
      row.push_back(percent_text(difference.mean, block.summaries[0].mean));
      row.push_back(interval_text(difference.ci95, block.difference_decimals));
    }
    table.add(std::move(row));
  }
  table.add_blank();
}

/// Several policies: a block of lines per metric.
Table paired_table(const Results& results, const std::vector<std::string>& names) {
  using Align = Table::Align;
  Table table({{"metric, policy"},
               {"mean", Align::right},
               {""},
               {"95 % interval", Align::right},
               {"difference", Align::right},
               {"", Align::right},
               {"95 % interval", Align::right}});
  for (std::size_t m = 0; m < results.metrics.size(); ++m) add_block(table, results, names, m);
  return table;
}

Table cost_table(const Results& results, const std::vector<std::string>& names) {
  using Align = Table::Align;
  Table table({{"policy"},
               {"episodes", Align::right},
               {"decisions", Align::right},
               {"decisions/s", Align::right},
               {"events", Align::right},
               {"wall time", Align::right}});
  for (std::size_t p = 0; p < names.size(); ++p) {
    double decisions = 0, events = 0;
    for (const EpisodeResult& episode : results.policies[p].episodes) {
      decisions += static_cast<double>(episode.decisions);
      events += static_cast<double>(episode.events);
    }
    const double wall_s = results.policies[p].wall_s;
    table.add({names[p], std::to_string(results.policies[p].episodes.size()), count_text(decisions),
               count_text(decisions / wall_s), events > 0 ? count_text(events) : "-",
               duration_text(wall_s)});
  }
  return table;
}

/// "validation " before "episodes"; nothing for those that are held out.
std::string inputs(Phase phase) {
  switch (phase) {
    case Phase::train:
      return "training ";
    case Phase::validate:
      return "validation ";
    case Phase::evaluate:
      break;
  }
  return "";
}

std::string heading(const Results& results, const std::vector<std::string>& names) {
  std::string text = results.plan.env + "\n" +
                     plural(results.plan.episodes, inputs(results.plan.phase) + "episode") +
                     ", seed " + std::to_string(results.plan.seed);
  if (results.policies.size() > 1) text += ", paired; * best mean; differences against " + names[0];
  if (results.interrupted) text += "; interrupted: only finished episodes count";
  text += '\n';
  for (std::size_t p = 0; p < names.size(); ++p)
    if (names[p] != results.policies[p].policy)
      text += names[p] + " is " + results.policies[p].policy + '\n';
  return text + '\n';
}

void write_policy(JsonWriter& json, const Results& results, const PolicyResult& result) {
  std::uint64_t decisions = 0, events = 0;
  for (const EpisodeResult& episode : result.episodes) {
    decisions += episode.decisions;
    events += episode.events;
  }
  json.begin_object().member("env", results.plan.env).member("policy", result.policy);
  json.member("seed", results.plan.seed).member("episodes", result.episodes.size());
  if (results.interrupted) {
    json.key("episode_ids").begin_array(JsonWriter::Layout::line);
    for (const EpisodeResult& episode : result.episodes) json.value(episode.id);
    json.end_array();
  }
  json.key("metrics").begin_object();
  for (std::size_t m = 0; m < results.metrics.size(); ++m) {
    json.key(results.metrics[m].name).begin_object(JsonWriter::Layout::line);
    write_summary(json, summarize(column(result, m)));
    json.member("unit", results.metrics[m].unit).member("better", better(results.metrics[m]));
    json.end_object();
  }
  json.end_object().key("per_episode").begin_object();
  for (std::size_t m = 0; m < results.metrics.size(); ++m)
    json.key(results.metrics[m].name).values(column(result, m));
  json.end_object().member("decisions", decisions).member("events", events);
  json.member("wall_s", result.wall_s).end_object();
}

void write_results(JsonWriter& json, const Results& results) {
  if (results.interrupted) json.member("interrupted", true);
  if (results.plan.phase != Phase::evaluate) json.member("phase", phase_name(results.plan.phase));
  json.key("results").begin_array();
  for (const PolicyResult& result : results.policies) write_policy(json, results, result);
  json.end_array();
}

}  // namespace

std::vector<double> column(const PolicyResult& result, std::size_t metric) {
  return bench::metric_values(result.episodes, metric);
}

Summary paired_difference(const PolicyResult& a, const PolicyResult& b, std::size_t metric) {
  const auto [of_a, of_b] = bench::paired_values(a.episodes, b.episodes, metric);
  return summarize_difference(of_a, of_b);
}

std::string interval_text(const Interval& interval, int decimals) {
  if (std::isnan(interval.low)) return "-";
  return '[' + rounded(interval.low, decimals) + ", " + rounded(interval.high, decimals) + ']';
}

void write_summary(JsonWriter& json, const Summary& summary) {
  const double interval[] = {summary.ci95.low, summary.ci95.high};
  json.member("mean", summary.mean).member("sd", summary.sd).key("ci95").values(interval);
}

std::string results_text(const Results& results, std::size_t width) {
  if (results.policies.empty()) return "interrupted before the first episode was finished\n";
  const std::vector<std::string> names = labels(results);
  const Table table = names.size() > 1 ? paired_table(results, names) : single_table(results);
  return heading(results, names) + table.text(0, width) + cost_table(results, names).text(0, width);
}

std::string results_json(const Results& results) {
  JsonWriter json;
  json.begin_object();
  write_results(json, results);
  return json.end_object().take();
}

std::string results_file(const Results& results) {
  JsonWriter json;
  json.begin_object().member("schema", "park.results").member("version", kResultsVersion);
  json.key("park").begin_object(JsonWriter::Layout::line);
  json.member("version", build_info().version).member("commit", build_info().commit);
  json.end_object();
  bench::write_plugins(json, results.plugins);
  write_results(json, results);
  return json.end_object().take();
}

}  // namespace park::cli
