#include <cmath>

#include "cli/web/timeline_file.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using ChromeLayout = JsonWriter::Layout;

/// The events of one policy: a process whose threads are the lanes.
class ChromeProcess {
 public:
  ChromeProcess(JsonWriter& json, std::size_t pid, const Timeline& timeline)
      : json_(&json), pid_(pid), timeline_(&timeline) {}

  void write(const std::string& name) {
    meta("process_name", 0, "name", name);
    meta("process_sort_index", 0, "sort_index", pid_);
    for (std::size_t lane = 0; lane < timeline_->lanes().size(); ++lane) {
      meta("thread_name", lane + 1, "name", timeline_->lanes()[lane]);
      meta("thread_sort_index", lane + 1, "sort_index", lane + 1);
    }
    write_spans();
    write_points();
    for (const Timeline::Series& series : timeline_->series()) write_counter(series);
  }

 private:
  /// The members that every event has. Times are microseconds.
  JsonWriter& begin(const char* phase, std::string_view name, std::size_t tid, double time_s) {
    json_->begin_object(ChromeLayout::line).member("ph", phase).member("name", name);
    return json_->member("pid", pid_).member("tid", tid).member("ts", time_s * 1e6);
  }

  template <class T>
  void meta(const char* what, std::size_t tid, const char* key, const T& value) {
    begin("M", what, tid, 0).key("args").begin_object(ChromeLayout::line).member(key, value);
    json_->end_object().end_object();
  }

  void write_args(const Timeline::Events& events, std::size_t i) {
    json_->key("args").begin_object(ChromeLayout::line);
    for (const Timeline::Column& column : events.args) {
      const double value = column.values[i];
      if (std::isnan(value)) continue;
      const auto labels = timeline_->labels().find(column.name);
      if (labels != timeline_->labels().end() && labels->second.contains(value))
        json_->member(column.name, labels->second.at(value));
      else
        json_->member(column.name, value);
    }
    json_->end_object().end_object();
  }

  void write_spans() {
    const Timeline::Events& spans = timeline_->spans();
    for (std::size_t i = 0; i < spans.lane.size(); ++i) {
      begin("X", timeline_->whats()[spans.what[i]], spans.lane[i] + 1, spans.start_s[i]);
      json_->member("dur", (spans.end_s[i] - spans.start_s[i]) * 1e6).member("cat", "span");
      write_args(spans, i);
    }
  }

  void write_points() {
    const Timeline::Events& points = timeline_->points();
    for (std::size_t i = 0; i < points.lane.size(); ++i) {
      begin("i", timeline_->whats()[points.what[i]], points.lane[i] + 1, points.start_s[i]);
      json_->member("s", "t").member("cat", "point");  // its scope is the thread
      write_args(points, i);
    }
  }

  void write_counter(const Timeline::Series& series) {
    const std::string name = series.lane.empty() ? series.name : series.lane + ": " + series.name;
    for (std::size_t i = 0; i < series.times_s.size(); ++i) {
      begin("C", name, 0, series.times_s[i]).key("args").begin_object(ChromeLayout::line);
      json_->member("value", series.values[i]).end_object().end_object();
    }
  }

  JsonWriter* json_;
  std::size_t pid_;
  const Timeline* timeline_;
};

}  // namespace

std::string timeline_chrome(const TimelineFile& file) {
  JsonWriter json;
  json.begin_object()
      .member("displayTimeUnit", "ms")
      .key("otherData")
      .begin_object(ChromeLayout::line);
  json.member("env", file.env).member("seed", file.seed).end_object();
  json.key("traceEvents").begin_array();
  for (std::size_t i = 0; i < file.policies.size(); ++i)
    ChromeProcess(json, i + 1, file.policies[i].timeline).write(file.policies[i].policy);
  return json.end_array().end_object().take();
}

}  // namespace park::cli
