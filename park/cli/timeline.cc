#include "park/cli/timeline.h"

#include <algorithm>

#include "park/cli/json.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

Timeline::Args copy(std::span<const EventArg> args) {
  Timeline::Args all;
  for (const EventArg& arg : args) all.emplace_back(arg.name, arg.value);
  return all;
}

void write_args(JsonWriter& json, const Timeline::Args& args) {
  json.key("args").begin_object();
  for (const auto& [name, value] : args) json.member(name, value);
  json.end_object();
}

void write_timeline(JsonWriter& json, const PolicyTimeline& one) {
  const Timeline& timeline = one.timeline;
  json.begin_object().member("policy", one.policy).member("episode", timeline.episode().id);
  json.key("spans").begin_array();
  for (const Timeline::Span& span : timeline.spans()) {
    json.begin_object(Layout::line).member("lane", span.lane).member("what", span.what);
    json.member("start_s", span.start_s).member("end_s", span.end_s);
    write_args(json, span.args);
    json.end_object();
  }
  json.end_array().key("points").begin_array();
  for (const Timeline::Point& point : timeline.points()) {
    json.begin_object(Layout::line).member("lane", point.lane).member("what", point.what);
    json.member("time_s", point.time_s);
    write_args(json, point.args);
    json.end_object();
  }
  json.end_array().key("series").begin_array();
  for (const Timeline::Series& series : timeline.series()) {
    json.begin_object().member("name", series.name);
    json.key("time_s").values(series.times_s).key("value").values(series.values).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void Timeline::begin(const Episode& episode) {
  episode_ = episode;
  spans_.clear();
  points_.clear();
  series_.clear();
}

void Timeline::span(std::string_view lane, double start_s, double end_s, std::string_view what,
                    std::span<const EventArg> args) {
  spans_.push_back({std::string(lane), std::string(what), start_s, end_s, copy(args)});
}

void Timeline::point(std::string_view lane, double time_s, std::string_view what,
                     std::span<const EventArg> args) {
  points_.push_back({std::string(lane), std::string(what), time_s, copy(args)});
}

void Timeline::value(std::string_view name, double time_s, double value) {
  auto at = std::ranges::find(series_, name, &Series::name);
  if (at == series_.end()) at = series_.insert(at, {std::string(name), {}, {}});
  at->times_s.push_back(time_s);
  at->values.push_back(value);
}

std::string timeline_file(const std::string& env, std::uint64_t seed,
                          const std::vector<PolicyTimeline>& timelines) {
  JsonWriter json;
  json.begin_object().member("schema", "park.timeline").member("version", kTimelineVersion);
  json.member("env", env).member("seed", seed).key("timelines").begin_array();
  for (const PolicyTimeline& timeline : timelines) write_timeline(json, timeline);
  return json.end_array().end_object().take();
}

}  // namespace park::cli
