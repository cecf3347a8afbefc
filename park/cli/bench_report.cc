#include "park/cli/bench_report.h"

#include "agents/runs/checkpoint.h"
#include "park/cli/page.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

/// The validations of the training that an entry comes from.
void write_curve(JsonWriter& json, const std::string& env, const suite::Entry& entry) {
  const auto folder = agents::find_checkpoint(parse_text(entry.policy).text);
  if (!folder) return;
  const auto manifest = agents::read_checkpoint(*folder, agents::Parts::policy).manifest;
  json.begin_object().member("env", env).member("policy", entry.policy);
  json.member("metric", manifest.metric).member("trained_on", manifest.settings.env);
  json.key("points").begin_array(Layout::line);
  for (const agents::ValidationPoint& point : manifest.validations) {
    const double both[] = {static_cast<double>(point.at.iteration), point.mean};
    json.values(both);
  }
  json.end_array().end_object();
}

std::string learning_json(const suite::BenchRecord& record) {
  JsonWriter json;
  json.begin_array();
  for (const suite::Entry& entry : record.entries)
    if (entry.network()) write_curve(json, record.environments[entry.env].text, entry);
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

/// A cell of CSV.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string bench_report(const suite::BenchRecord& record, std::string_view record_json,
                         const std::vector<ReportTimeline>& timelines) {
  std::string data = "{\"results\": ";
  data += record_json;
  data += ", \"timelines\": " + timelines_json(timelines);
  data += ", \"learning\": " + learning_json(record) + "}\n";
  return page(
      {.title = "Benchmark " + record.suite.name,
       .body = assets::report_html(),
       .scripts = {assets::echarts_js(), assets::common_js(), assets::timeline_model_js(),
                   assets::timeline_gantt_js(), assets::timeline_view_js(),
                   assets::report_figures_js(), assets::report_charts_js(), assets::report_js()},
       .data = std::move(data)});
}

std::string bench_csv(const suite::BenchRecord& record) {
  std::string text = "env,policy,episode,metric,unit,value\n";
  for (const suite::Entry& entry : record.entries) {
    const suite::EnvFacts& env = record.environments[entry.env];
    const std::string front = cell(env.text) + ',' + cell(entry.policy) + ',';
    for (std::size_t m = 0; m < env.metrics.size(); ++m) {
      const std::vector<double> values = suite::metric_values(entry.episodes, m);
      for (std::size_t i = 0; i < values.size(); ++i)
        text += front + std::to_string(entry.episodes[i].id) + ',' + env.metrics[m].name + ',' +
                cell(env.metrics[m].unit) + ',' + number_text(values[i]) + '\n';
    }
  }
  return text;
}

}  // namespace park::cli
