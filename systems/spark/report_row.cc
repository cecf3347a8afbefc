#include "systems/spark/report_row.h"

#include <algorithm>

namespace park::spark {
namespace {

float f32(double v) noexcept { return static_cast<float>(v); }
std::int32_t i32(std::uint32_t v) noexcept { return static_cast<std::int32_t>(v); }

}  // namespace

ReportRow::ReportRow(const Spec& spec)
    : image_(spec.observation), f_(bind_layout<dag_scheduling::DagLayout>(spec)) {
  image_.append();
}

void ReportRow::write(const ClusterReport& report, double last_arrival_s) {
  image_.clear();
  const Row r = image_.append();
  r.resize(f_.jobs, report.jobs.size());
  r.resize(f_.stages, report.stages.size());
  r.resize(f_.edges, report.edges.size());
  write_stages(report, r);
  write_edges(report, r);
  for (std::size_t i = 0; i < report.jobs.size(); ++i) write_job(report, i, r);
  write_cluster(report, r);
  r.scalar(f_.last_arrival_s) = last_arrival_s;
  ++version_;
}

void ReportRow::write_stages(const ClusterReport& report, Row r) {
  for (std::size_t i = 0; i < report.stages.size(); ++i) {
    const StageReport& s = report.stages[i];
    r[f_.stage_job][i] = i32(s.job);
    r[f_.tasks][i] = f32(s.tasks);
    r[f_.mean_s][i] = f32(s.mean_s);
    r[f_.known][i] = s.measured;
    r[f_.work_s][i] = f32(s.work_s());
    r[f_.critical_s][i] = f32(s.critical_s);
    r[f_.cpus][i] = 1;
    r[f_.memory][i] = 1;
    r[f_.tasks_left][i] = f32(s.left);
    r[f_.running][i] = f32(std::min(s.running, report.slots));
    r[f_.committed][i] = f32(s.committed);
    r[f_.moving][i] = f32(s.moving);
    r[f_.last_s][i] = f32(s.last_s);
    r[f_.runnable][i] = s.runnable && s.left > 0;
    r[f_.ready_s][i] = s.ready_s;
    r[f_.stage_mask][i] = report.legal(s);
    r[f_.class_mask][i] = 1;
  }
}

void ReportRow::write_edges(const ClusterReport& report, Row r) {
  for (std::size_t i = 0; i < report.edges.size(); ++i) {
    r[f_.edge_parent][i] = i32(report.edges[i].first);
    r[f_.edge_child][i] = i32(report.edges[i].second);
  }
}

void ReportRow::write_job(const ClusterReport& report, std::size_t at, Row r) {
  const JobReport& job = report.jobs[at];
  double work_s = 0, work_left_s = 0, left = 0, demand = 0, open = 0;
  for (std::uint32_t i = job.first; i < job.first + job.stages; ++i) {
    const StageReport& s = report.stages[i];
    work_s += s.work_s();
    work_left_s += s.left * s.mean_s;
    left += s.left;
    demand += s.demand();
    open += s.done ? 0 : 1;
  }
  const bool source = report.source_job == static_cast<std::int64_t>(at);
  const std::uint32_t attached = job.running + (source ? report.left() : 0);
  r[f_.job_id][at] = i32(job.number);
  r[f_.version][at] = version_;
  r[f_.arrival_s][at] = std::max(0.0, job.arrival_s);
  r[f_.stage_count][at] = f32(job.stages);
  r[f_.stages_left][at] = f32(open);
  r[f_.job_tasks_left][at] = f32(left);
  r[f_.job_work_s][at] = f32(work_s);
  r[f_.job_work_left_s][at] = f32(work_left_s);
  r[f_.job_executors][at] = f32(std::min(attached, report.slots));
  r[f_.job_moving][at] = f32(job.moving);
  r[f_.job_committed][at] = f32(job.committed);
  r[f_.source][at] = source;
  r[f_.demand][at] = f32(demand);
  r[f_.limit_min][at] = i32(std::max(1U, std::min(report.have(job) + 1, report.slots)));
  r[f_.limit_max][at] = i32(std::max(1U, report.slots));
}

void ReportRow::write_cluster(const ClusterReport& report, Row r) {
  r.scalar(f_.time_s) = report.time_s;
  r[f_.executors][0] = f32(report.slots);
  r[f_.free][0] = f32(report.idle);
  r[f_.source_executors][0] = f32(report.left());
  r[f_.class_cpus][0] = 1;
  r[f_.class_memory][0] = 1;
  r.scalar(f_.moving_delay_s) = f32(report.moving_delay_s);
  r.scalar(f_.warmup_delay_s) = 0;
}

}  // namespace park::spark
