#include "cli/bench/bench_report.h"

#include <filesystem>

#include "cli/web/page.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/runs/checkpoint.h"

namespace park::cli {
namespace {

using ReportLayout = JsonWriter::Layout;

/// The validations of the training that an entry comes from. A run's folder stands for its best
/// policy; its latest one knows all of them.
void write_curve(JsonWriter& json, const bench::BenchResults& results, const bench::Entry& entry) {
  const std::string& env = results.environments[entry.env].text;
  const std::string name = parse_text(bench::playable(results, entry)).text;
  const auto folder = runs::find_checkpoint(name);
  if (!folder) return;
  const std::filesystem::path latest = std::filesystem::path(name) / "latest";
  std::error_code none;
  const bool run = std::filesystem::exists(latest, none);
  const auto manifest = runs::read_checkpoint(run ? latest : *folder, runs::Parts::policy).manifest;
  json.begin_object().member("env", env);
  json.member("policy", bench::entry_name(results, entry));
  json.member("metric", manifest.metric).member("trained_on", manifest.settings.env);
  json.key("points").begin_array(ReportLayout::line);
  for (const runs::ValidationPoint& point : manifest.validations) {
    const double both[] = {static_cast<double>(point.at.iteration), point.mean};
    json.values(both);
  }
  json.end_array().end_object();
}

std::string learning_json(const bench::BenchResults& results) {
  JsonWriter json;
  json.begin_array();
  for (const bench::Entry& entry : results.entries)
    if (entry.network() && (!entry.training || entry.training->env == entry.env))
      write_curve(json, results, entry);
  return json.end_array().take();
}

std::string timelines_json(const std::vector<ReportTimeline>& timelines) {
  std::string text = "[";
  for (const ReportTimeline& one : timelines) {
    std::string file = timeline_json(one.file);
    file.insert(file.find('{') + 1, one.stages ? "\"stages\": true," : "\"stages\": false,");
    text += (text.size() > 1 ? ",\n" : "") + file;
  }
  return text + "]\n";
}

}  // namespace

std::string bench_report(const bench::BenchResults& results, std::string_view json,
                         const std::vector<ReportTimeline>& timelines) {
  std::string data = "{\"results\": ";
  data += json;
  data += ", \"timelines\": " + timelines_json(timelines);
  data += ", \"learning\": " + learning_json(results) + "}\n";
  return page(
      {.title = "Benchmark " + results.suite.name,
       .body = assets::report_html(),
       .scripts = {assets::echarts_js(), assets::common_js(), assets::timeline_model_js(),
                   assets::timeline_gantt_js(), assets::timeline_view_js(),
                   assets::timeline_legend_js(), assets::report_figures_js(),
                   assets::report_charts_js(), assets::report_agents_js(), assets::report_js()},
       .data = std::move(data)});
}

}  // namespace park::cli
