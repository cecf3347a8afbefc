#include "park/envs/dag_scheduling/data/page.h"

#include <algorithm>
#include <vector>

#include "park/core/json_writer.h"
#include "park/envs/dag_scheduling/data/assets.h"
#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload/duration_profile.h"

namespace park::dag_scheduling::workload {
namespace {

using Layout = JsonWriter::Layout;

void write_durations(JsonWriter& json, const Workload& workload,
                     std::span<const Workload::Job> jobs) {
  json.key("durations").begin_array(Layout::line);
  for (const DurationLevel& level : duration_profile(workload, jobs)) {
    json.begin_object(Layout::line).member("wave", wave_name(level.wave));
    json.member("executors", level.executors).member("samples", level.samples);
    json.member("mean_s", level.mean_s).member("relative_mean", level.relative_mean);
    json.member("relative_p10", level.relative_p10).member("relative_p50", level.relative_p50);
    json.member("relative_p90", level.relative_p90).end_object();
  }
  json.end_array();
}

void write_stage(JsonWriter& json, const Workload& workload, const Workload::Stage& stage) {
  json.begin_object(Layout::line).key("parents").begin_array(Layout::line);
  for (const std::uint16_t parent : workload.parents(stage)) json.value(parent);
  json.end_array().member("tasks", stage.tasks).member("mean_task_s", stage.mean_duration_s);
  if (stage.cpus > 0) json.member("cpus", static_cast<double>(stage.cpus));
  if (stage.memory > 0) json.member("memory", static_cast<double>(stage.memory));
  json.end_object();
}

void write_graph(JsonWriter& json, const Workload& workload, const Workload::Job& job) {
  json.key("graph").begin_array(Layout::line);
  for (const Workload::Stage& stage : workload.stages(job)) write_stage(json, workload, stage);
  json.end_array();
  write_durations(json, workload, {&job, 1});
}

void write_page_job(JsonWriter& json, const JobSummary& job) {
  json.member("name", job.name).member("stages", job.stages).member("edges", job.edges);
  json.member("levels", job.levels).member("tasks", job.tasks).member("work_s", job.work_s);
  json.member("critical_path_s", job.critical_path_s).member("samples", job.samples);
}

std::string page_data(const Workload& workload, const std::string& file) {
  const WorkloadSummary summary = summarize(workload);
  JsonWriter json;
  json.begin_object().member("file", file).member("name", summary.name);
  json.member("provenance", summary.provenance);
  json.member("inflation", summary.inflation.present).member("graphs", kMostGraphs).key("total");
  json.begin_object(Layout::line);
  write_page_job(json, summary.total);
  json.end_object();
  write_durations(json, workload, workload.jobs());
  json.key("jobs").begin_array();
  for (std::size_t j = 0; j < summary.per_job.size(); ++j) {
    json.begin_object(Layout::line);
    write_page_job(json, summary.per_job[j]);
    if (j < kMostGraphs) write_graph(json, workload, workload.jobs()[j]);
    json.end_object();
  }
  json.end_array().key("stage_mean_task_s").begin_array(Layout::line);
  for (const Workload::Job& job : workload.jobs())
    for (const Workload::Stage& stage : workload.stages(job)) json.value(stage.mean_duration_s);
  return json.end_array().end_object().take();
}

}  // namespace

command::DataPage workload_page(const Workload& workload, const std::string& file,
                                const std::string& path) {
  return {.path = path,
          .title = "Workload " + workload.name(),
          .body = workload_html(),
          .script = workload_js(),
          .data = page_data(workload, file)};
}

}  // namespace park::dag_scheduling::workload
