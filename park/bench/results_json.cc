// Writes results.json: the manifest, then every entry with its rows and the figures that follow
// from them, then failures, comparisons and scores. Nothing is kept between calls, and every figure
// is computed while it is written. `park bench` writes its file so; verification writes it again
// from the rows that it has read and compares the texts.
#include "park/bench/results_json.h"

#include "park/bench/agent_figures.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/figures.h"
#include "park/bench/results_parts.h"
#include "park/bench/row_links.h"
#include "park/bench/score_figures.h"
#include "park/bench/scores.h"
#include "park/core/json_writer.h"

namespace park::bench {
namespace {

using Layout = JsonWriter::Layout;

void write_interval(JsonWriter& json, std::string_view name, const Interval& interval) {
  const double both[] = {interval.low, interval.high};
  json.key(name).values(both);
}

void write_estimate(JsonWriter& json, std::string_view name, const Estimate& estimate) {
  json.key(name).begin_object(Layout::line).member("value", estimate.value);
  write_interval(json, "bootstrap95", estimate.interval);
  json.end_object();
}

void write_metric(JsonWriter& json, const Metric& about, const MetricFigures& figures) {
  json.key(about.name).begin_object(Layout::line);
  json.member("mean", figures.summary.mean).member("sd", figures.summary.sd);
  write_interval(json, "ci95", figures.summary.ci95);
  json.member("unit", about.unit).member("better", about.lower_is_better ? "lower" : "higher");
  write_interval(json, "mean_bootstrap95", figures.mean_bootstrap);
  json.member("iqm", figures.iqm);
  write_interval(json, "iqm_bootstrap95", figures.iqm_bootstrap);
  json.end_object();
}

void write_rows(JsonWriter& json, const EnvFacts& env, const Entry& entry) {
  const auto counts = [&](const char* name, std::uint64_t EpisodeResult::*count) {
    json.key(name).begin_array(Layout::line);
    for (const EpisodeResult& episode : entry.episodes) json.value(episode.*count);
    json.end_array();
  };
  counts("episode_ids", &EpisodeResult::id);
  counts("episode_decisions", &EpisodeResult::decisions);
  counts("episode_events", &EpisodeResult::events);
  json.key("per_episode").begin_object();
  for (std::size_t m = 0; m < env.metrics.size(); ++m)
    json.key(env.metrics[m].name).values(metric_values(entry.episodes, m));
  json.end_object();
}

void write_training(JsonWriter& json, const Training& training) {
  json.key("training").begin_object(Layout::line).member("agent", training.agent);
  json.member("environment", training.env).member("seed", training.seed);
  json.member("decisions", training.decisions).member("episodes", training.episodes);
  json.member("cpu_s", training.cpu_s).member("wall_s", training.wall_s);
  json.member("error", training.error).end_object();
}

/// Rows are those of the episodes that ended; figures also count the others, as `counted` has them.
void write_entry(JsonWriter& json, const BenchResults& results, const Entry& entry,
                 const Entry& counted) {
  const EnvFacts& env = results.environments[entry.env];
  std::uint64_t decisions = 0, events = 0;
  for (const EpisodeResult& episode : entry.episodes) {
    decisions += episode.decisions;
    events += episode.events;
  }
  json.begin_object().member("env", env.text).member("policy", entry.policy);
  json.member("seed", results.suite.seed).member("episodes", entry.episodes.size());
  json.key("metrics").begin_object();
  for (std::size_t m = 0; m < env.metrics.size(); ++m)
    write_metric(json, env.metrics[m], metric_figures(metric_values(counted.episodes, m)));
  json.end_object();
  write_rows(json, env, entry);
  json.member("decisions", decisions).member("events", events).member("wall_s", entry.wall_s);
  json.member("environment", entry.env).member("baseline", entry.baseline);
  json.member("bound", entry.bound);
  if (entry.training) write_training(json, *entry.training);
  json.key("files");
  write_files(json, entry.files);
  std::vector<std::string> links;
  for (const RowLink& link : row_links(results, entry)) links.push_back(link.sha256);
  json.key("links").values(links).member("rows_sha256", rows_sha256(results, entry)).end_object();
}

void write_failures(JsonWriter& json, const BenchResults& results) {
  json.key("failures").begin_array();
  for (const EpisodeFailure& failure : results.failures) {
    const Entry& entry = results.entries[failure.entry];
    json.begin_object(Layout::line).member("result", failure.entry);
    json.member("env", results.environments[entry.env].text).member("policy", entry.policy);
    json.member("first_episode", failure.first).member("episodes", failure.count);
    json.member("error", failure.error).end_object();
  }
  json.end_array();
}

void write_scales(JsonWriter& json, const BenchResults& results) {
  json.key("scales").begin_array();
  for (std::size_t e = 0; e < results.environments.size(); ++e) {
    const std::optional<Scale> scale = scale_of(results, e);
    if (!scale) continue;
    json.begin_object(Layout::line).member("env", results.environments[e].text);
    json.member("metric", results.environments[e].metrics[scale->metric].name);
    json.member("zero", scale->zero).member("zero_policy", results.entries[scale->random].policy);
    json.member("one", scale->one).member("one_policy", results.entries[scale->best].policy);
    if (scale->bound)
      json.member("bound", scale->limit)
          .member("bound_policy", results.entries[*scale->bound].policy);
    json.end_object();
  }
  json.end_array();
}

void write_comparison(JsonWriter& json, const BenchResults& results, const Comparison& one) {
  const Entry& policy = results.entries[one.policy];
  const EnvFacts& env = results.environments[policy.env];
  json.begin_object(Layout::line).member("env", env.text);
  json.member("metric", env.metrics[one.metric].name);
  json.member("policy", policy.policy).member("against", results.entries[one.against].policy);
  json.member("episodes", one.difference.count).member("mean_difference", one.difference.mean);
  write_interval(json, "ci95", one.difference.ci95);
  write_interval(json, "bootstrap95", one.difference_bootstrap);
  json.member("probability_of_improvement", one.improvement);
  write_interval(json, "improvement_bootstrap95", one.improvement_bootstrap);
  json.end_object();
}

void write_standing(JsonWriter& json, const BenchResults& results, const Standing& one) {
  const Entry& entry = results.entries[one.entry];
  json.begin_object().member("env", results.environments[entry.env].text);
  json.member("policy", entry.policy);
  write_estimate(json, "score", one.score);
  write_estimate(json, "percent_better", one.percent_better);
  write_estimate(json, "percent_to_bound", one.percent_to_bound);
  json.end_object();
}

/// The figures of PolicyScores and of AgentScores.
template <class Scores>
void write_aggregates(JsonWriter& json, const Scores& scores) {
  write_estimate(json, "mean", scores.mean);
  write_estimate(json, "median", scores.median);
  write_estimate(json, "iqm", scores.iqm);
  write_estimate(json, "optimality_gap", scores.optimality_gap);
  std::vector<double> share, low, high;
  for (const Estimate& point : scores.profile) {
    share.push_back(point.value);
    low.push_back(point.interval.low);
    high.push_back(point.interval.high);
  }
  json.key("profile").begin_object().key("share").values(share);
  json.key("low").values(low).key("high").values(high).end_object();
}

void write_score(JsonWriter& json, const BenchResults& results, const PolicyScores& policy) {
  json.begin_object().member("policy", policy.policy).key("environments");
  json.begin_array(Layout::line);
  for (const std::size_t e : policy.environments) json.value(results.environments[e].text);
  json.end_array();
  write_aggregates(json, policy);
  json.end_object();
}

void write_scores(JsonWriter& json, const BenchResults& results) {
  json.key("comparisons").begin_array();
  for (const Comparison& one : comparisons(results)) write_comparison(json, results, one);
  const ScoreFigures figures = score_figures(results);
  json.end_array().key("standings").begin_array();
  for (const Standing& one : figures.standings) write_standing(json, results, one);
  json.end_array().key("profile_limits").values(profile_limits()).key("scores").begin_array();
  for (const PolicyScores& policy : figures.policies) write_score(json, results, policy);
  json.end_array();
}

void write_agent_standing(JsonWriter& json, const BenchResults& results, const AgentStanding& one) {
  json.begin_object().member("agent", one.agent);
  json.member("environment", one.env).member("env", results.environments[one.env].text);
  json.member("trained_on", one.trained_on).key("scores").values(one.scores);
  write_estimate(json, "mean", one.mean);
  write_estimate(json, "iqm", one.iqm);
  json.end_object();
}

void write_agent_scores(JsonWriter& json, const AgentScores& one) {
  json.begin_object().member("agent", one.agent).key("environments").begin_array(Layout::line);
  for (const std::size_t e : one.environments) json.value(e);
  json.end_array().member("everywhere", one.everywhere);
  write_aggregates(json, one);
  json.end_object();
}

void write_unfit(JsonWriter& json, const BenchResults& results) {
  json.key("unfit").begin_array();
  for (const Unfit& one : results.unfit)
    json.begin_object(Layout::line)
        .member("agent", one.agent)
        .member("environment", one.env)
        .member("reason", one.reason)
        .end_object();
  json.end_array();
}

/// Nothing where the suite has no agents.
void write_agents(JsonWriter& json, const BenchResults& results, const BenchResults& counted) {
  if (results.suite.agents.empty()) return;
  const AgentFigures figures = agent_figures(counted);
  json.key("agents").begin_object();
  write_unfit(json, results);
  json.key("standings").begin_array();
  for (const AgentStanding& one : figures.standings) write_agent_standing(json, results, one);
  json.end_array().key("scores").begin_array();
  for (const AgentScores& one : figures.scores) write_agent_scores(json, one);
  json.end_array().key("costs").begin_array();
  for (const AgentCost& one : figures.costs) {
    json.begin_object(Layout::line).member("agent", one.agent);
    json.member("trainings", one.trainings).member("failed", one.failed);
    json.member("decisions", one.decisions).member("cpu_s", one.cpu_s);
    json.member("wall_s", one.wall_s).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string results_json(const BenchResults& results) {
  JsonWriter json;
  json.begin_object().member("schema", kResultsSchema).member("version", kResultsVersion);
  write_manifest(json, results);
  json.member("interrupted", results.interrupted).key("results").begin_array();
  const BenchResults counted = with_failures(results);
  for (std::size_t i = 0; i < results.entries.size(); ++i)
    write_entry(json, results, results.entries[i], counted.entries[i]);
  json.end_array();
  write_failures(json, results);
  write_scales(json, counted);
  write_scores(json, counted);
  write_agents(json, results, counted);
  return json.end_object().take();
}

}  // namespace park::bench
