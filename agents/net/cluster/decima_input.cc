#include "agents/net/cluster/decima_input.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "agents/net/columns.h"

namespace park::agents {
namespace {

// The public code's scales.
constexpr float kExecutors = 20, kTasks = 200, kWorkS = 100, kOwn = 2;
// Those of logarithms.
constexpr float kLogTasks = 6, kLogWork = 8;

float log_work(float work_s) { return std::log1p(std::max(0.0f, work_s)) / kLogWork; }

}  // namespace

DecimaInput::DecimaInput(const Spec& spec, Features features, bool durations, bool logs,
                         bool totals)
    : features_(features),
      durations_(durations),
      logs_(logs),
      totals_(totals),
      layout_(bind_layout<dag_scheduling::DagLayout>(spec)) {}

DecimaInput::Rows DecimaInput::read(const Batch& b) const {
  Rows rows;
  rows.first_stage = b.offsets(layout_.stages);
  rows.first_job = b.offsets(layout_.jobs);
  rows.least = all_of(b, layout_.limit_min);
  read_jobs(b, rows);
  read_stages(b, rows);
  return rows;
}

void DecimaInput::read_jobs(const Batch& b, Rows& rows) const {
  const auto executors = all_of(b, layout_.job_executors), moving = all_of(b, layout_.job_moving),
             committed = all_of(b, layout_.job_committed);
  const auto left_s = all_of(b, layout_.job_work_left_s), work_s = all_of(b, layout_.job_work_s);
  const auto own = all_of(b, layout_.source);
  rows.job = at::empty({static_cast<std::int64_t>(executors.size()), job_width()});
  float* to = rows.job.data_ptr<float>();
  for (std::size_t r = 0; r < b.rows(); ++r) {
    float offered = 0, all = 0;
    for (const float n : b.row(r)[layout_.source_executors]) offered += n;
    for (const float n : b.row(r)[layout_.executors]) all += n;
    rows.executors.push_back(all);
    const auto end = static_cast<std::size_t>(rows.first_job[r + 1]);
    for (auto j = static_cast<std::size_t>(rows.first_job[r]); j < end; ++j) {
      rows.row_of.push_back(static_cast<std::int64_t>(r));
      *to++ = (executors[j] + moving[j] + committed[j]) / kExecutors;
      *to++ = own[j] != 0 ? kOwn : -kOwn;
      *to++ = offered / kExecutors;
      if (!totals_) continue;
      *to++ = durations_ ? log_work(left_s[j]) : 0;
      *to++ = durations_ ? log_work(work_s[j]) : 0;
      *to++ = static_cast<float>(rows.least[j] - 1) / kExecutors;
    }
  }
}

void DecimaInput::read_stages(const Batch& b, Rows& rows) const {
  const auto mean_s = all_of(b, layout_.mean_s), left = all_of(b, layout_.tasks_left),
             running = all_of(b, layout_.running), committed = all_of(b, layout_.committed),
             moving = all_of(b, layout_.moving);
  const auto job = all_of(b, layout_.stage_job);
  rows.stage = at::empty({static_cast<std::int64_t>(left.size()), kStage});
  float* to = rows.stage.data_ptr<float>();
  const float* jobs = rows.job.data_ptr<float>();
  for (std::size_t r = 0; r < b.rows(); ++r)
    for (auto s = static_cast<std::size_t>(rows.first_stage[r]);
         s < static_cast<std::size_t>(rows.first_stage[r + 1]); ++s, to += kStage) {
      const std::int64_t j = rows.first_job[r] + job[s];
      rows.job_of.push_back(j);
      rows.held.push_back(running[s] + committed[s] + moving[s]);
      rows.unfinished.push_back(left[s] > 0 || running[s] > 0);
      const float* of_job = jobs + j * job_width();
      const float duration_s = durations_ ? mean_s[s] : 0;
      const float work_s = left[s] * duration_s;
      const float tasks =
          logs_ ? std::log1p(std::max(0.0f, left[s])) / kLogTasks : left[s] / kTasks;
      if (features_ == Features::paper)
        std::ranges::copy(std::array{tasks, logs_ ? log_work(work_s) : duration_s,
                                     running[s] / kExecutors, of_job[2], of_job[1]},
                          to);
      else
        std::ranges::copy(std::array{of_job[0], of_job[1], of_job[2],
                                     logs_ ? log_work(work_s) : work_s / kWorkS, tasks},
                          to);
    }
}

JobGraphs DecimaInput::graphs(const Batch& b, const Rows& rows) const {
  return job_graphs({.features = rows.stage,
                     .first_stage = rows.first_stage,
                     .first_job = rows.first_job,
                     .first_edge = b.offsets(layout_.edges),
                     .job = all_of(b, layout_.stage_job),
                     .parents = all_of(b, layout_.edge_parent),
                     .children = all_of(b, layout_.edge_child),
                     .marks = rows.unfinished});
}

}  // namespace park::agents
