#include "park/core/json_writer.h"
#include "park/judge/judge.h"

namespace park::judge {
namespace {

void write_interval(JsonWriter& json, const char* name, const bench::Interval& interval) {
  json.key(name).begin_array(JsonWriter::Layout::line).value(interval.low).value(interval.high);
  json.end_array();
}

void write_differences(JsonWriter& json, const SetJudgement& set) {
  json.key("differences").begin_array();
  for (const Difference& d : set.differences) {
    json.begin_object(JsonWriter::Layout::line).member("policy", d.rival.policy);
    json.member("role", to_text(d.rival.role)).member("mean", d.rival.mean);
    json.member("difference", d.difference.mean);
    write_interval(json, "interval", d.difference.ci95);
    json.member("inputs", std::uint64_t{d.difference.count});
    json.member("losses", std::uint64_t{d.losses}).end_object();
  }
  json.end_array();
}

void write_set(JsonWriter& json, const SetJudgement& set, bool reveal) {
  json.begin_object().member("set", to_text(set.set));
  if (set.set != Set::hidden || reveal) json.member("seed", set.seed);
  json.member("inputs", std::uint64_t{set.scores.size()});
  json.member("failed", std::uint64_t{set.match.failed()});
  json.member("inputs_sha256", set.digest).member("inputs_intact", true);
  json.member("score", set.score.mean);
  write_interval(json, "score_interval", set.score.ci95);
  json.member("mean", set.value.mean);
  write_interval(json, "mean_interval", set.value.ci95);
  json.member("best_heuristic", set.differences[set.best].rival.policy);
  write_differences(json, set);
  json.end_object();
}

/// Flat numbers, for loops that keep no others.
void write_metrics(JsonWriter& json, const Judgement& j) {
  const SetJudgement& set = j.sets.back();
  const auto decisions = static_cast<double>(set.match.decisions);
  json.key("metrics").begin_object();
  json.member("score_low", j.interval.low).member("score_high", j.interval.high);
  json.member("failed_share",
              static_cast<double>(set.match.failed()) / static_cast<double>(set.scores.size()));
  json.member(j.metric.name, set.value.mean);
  json.member("us_per_decision", decisions > 0 ? 1e6 * set.match.answer_s / decisions : 0.0);
  json.end_object();
}

}  // namespace

std::string judgement_json(const JudgePlan& plan, const Judgement& j, bool reveal) {
  JsonWriter json;
  json.begin_object().member("schema", "park.judgement").member("version", 1);
  json.member("env", j.env);
  json.key("candidate").begin_object(JsonWriter::Layout::line);
  json.member("file", plan.candidate.path).member("kind", to_text(plan.candidate.kind));
  json.member("sha256", plan.candidate.sha256).end_object();
  json.member("set", to_text(plan.set)).member("verdict", to_text(j.verdict)).member("why", j.why);
  json.member("score", j.score);
  write_interval(json, "interval", j.interval);
  json.key("metric").begin_object(JsonWriter::Layout::line).member("name", j.metric.name);
  json.member("unit", j.metric.unit).member("lower_is_better", j.metric.lower_is_better);
  json.end_object();
  write_metrics(json, j);
  const MatchResult& match = j.sets.back().match;
  json.key("speed").begin_object(JsonWriter::Layout::line).member("decisions", match.decisions);
  json.member("answer_s", match.answer_s).end_object();
  json.key("sets").begin_array();
  for (const SetJudgement& set : j.sets) write_set(json, set, reveal);
  json.end_array().member("feedback", j.feedback).key("left_out").values(j.left_out);
  return json.end_object().take();
}

}  // namespace park::judge
