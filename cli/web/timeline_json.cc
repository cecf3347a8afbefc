#include "cli/trees/explain_output.h"
#include "cli/web/timeline_file.h"
#include "park/bench/results_parts.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

void write_numbers(JsonWriter& json, const std::vector<std::uint32_t>& numbers) {
  json.begin_array(Layout::line);
  for (const std::uint32_t number : numbers) json.value(number);
  json.end_array();
}

void write_values(JsonWriter& json, const std::vector<Metric>& metrics,
                  const std::vector<double>& values) {
  json.begin_object(Layout::line);
  for (std::size_t m = 0; m < metrics.size(); ++m) json.member(metrics[m].name, values[m]);
  json.end_object();
}

void write_job(JsonWriter& json, const Timeline::Job& job) {
  json.begin_object(Layout::line).member("job", job.number).member("name", job.name);
  json.key("stages").begin_array(Layout::line);
  for (const Timeline::Stage& stage : job.stages) {
    json.begin_object(Layout::line).key("parents").begin_array(Layout::line);
    for (const std::uint16_t parent : stage.parents) json.value(parent);
    json.end_array();
    for (const auto& [name, value] : stage.args) json.member(name, value);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_args(JsonWriter& json, const std::vector<Timeline::Column>& args) {
  json.key("args").begin_object();
  for (const Timeline::Column& column : args) json.key(column.name).values(column.values);
  json.end_object();
}

void write_spans(JsonWriter& json, const Timeline::Events& spans) {
  json.key("spans").begin_object().key("lane");
  write_numbers(json, spans.lane);
  json.key("what");
  write_numbers(json, spans.what);
  json.key("start_s").values(spans.start_s).key("end_s").values(spans.end_s);
  write_args(json, spans.args);
  json.end_object();
}

void write_points(JsonWriter& json, const Timeline::Events& points) {
  json.key("points").begin_object().key("lane");
  write_numbers(json, points.lane);
  json.key("what");
  write_numbers(json, points.what);
  json.key("time_s").values(points.start_s);
  write_args(json, points.args);
  json.end_object();
}

void write_labels(JsonWriter& json, const Timeline::Labels& labels) {
  json.key("labels").begin_object();
  for (const auto& [arg, values] : labels) {
    json.key(arg).begin_array();
    for (const auto& [value, label] : values)
      json.begin_object(Layout::line).member("value", value).member("label", label).end_object();
    json.end_array();
  }
  json.end_object();
}

/// Candidates of a head that a page shows.
constexpr std::size_t kShownCandidates = 12;

void write_explained(JsonWriter& json, const PolicyTimeline& one) {
  json.key("explained").begin_array();
  for (const park::trees::ExplainedDecision& d : one.explained) {
    json.begin_object().member("decision", d.decision);
    json.member("time_s", one.timeline.begin_s() + d.time_s);
    write_explanation(json, d.explanation, kShownCandidates);
    json.end_object();
  }
  json.end_array();
}

void write_timeline(JsonWriter& json, const PolicyTimeline& one, const std::vector<Metric>& names) {
  const Timeline& timeline = one.timeline;
  json.begin_object().member("policy", one.policy).member("episode", timeline.episode().id);
  json.member("end_s", timeline.end_s()).member("episodes", one.episodes).key("metrics");
  write_values(json, names, one.metrics);
  json.key("means");
  write_values(json, names, one.means);
  json.key("lanes").values(timeline.lanes()).key("whats").values(timeline.whats());
  write_labels(json, timeline.labels());
  json.key("jobs").begin_array();
  for (const Timeline::Job& job : timeline.jobs()) write_job(json, job);
  json.end_array();
  write_spans(json, timeline.spans());
  write_points(json, timeline.points());
  json.key("series").begin_array();
  for (const Timeline::Series& series : timeline.series()) {
    json.begin_object().member("lane", series.lane).member("name", series.name);
    json.key("time_s").values(series.times_s).key("value").values(series.values).end_object();
  }
  json.end_array();
  write_explained(json, one);
  json.end_object();
}

}  // namespace

std::string timeline_json(const TimelineFile& file) {
  JsonWriter json;
  json.begin_object().member("schema", "park.timeline").member("version", kTimelineVersion);
  json.member("env", file.env).member("seed", file.seed).key("metrics");
  bench::write_metrics(json, file.metrics);
  json.key("timelines").begin_array();
  for (const PolicyTimeline& one : file.policies) write_timeline(json, one, file.metrics);
  return json.end_array().end_object().take();
}

}  // namespace park::cli
