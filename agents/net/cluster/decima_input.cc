#include "agents/net/cluster/decima_input.h"

#include <ATen/ops/empty.h>

#include <array>

#include "agents/net/columns.h"

namespace park::agents {
namespace {

// The public code's scales.
constexpr float kExecutors = 20, kTasks = 200, kWorkS = 100, kOwn = 2;

}  // namespace

DecimaInput::DecimaInput(const Spec& spec, Features features, bool durations)
    : features_(features), durations_(durations) {
  const Batch o(spec.observation);
  mean_s_ = o.field<float>("stage.mean_duration_s");
  left_ = o.field<float>("stage.tasks_left");
  running_ = o.field<float>("stage.tasks_running");
  committed_ = o.field<float>("stage.committed");
  moving_ = o.field<float>("stage.moving");
  job_executors_ = o.field<float>("job.executors");
  job_moving_ = o.field<float>("job.moving");
  job_committed_ = o.field<float>("job.committed");
  source_ = o.field<float>("source.executors");
  executors_ = o.field<float>("cluster.executors");
  stage_job_ = o.field<std::int32_t>("stage.job");
  parent_ = o.field<std::int32_t>("edge.parent");
  child_ = o.field<std::int32_t>("edge.child");
  least_ = o.field<std::int32_t>("limit.min");
  job_source_ = o.field<std::uint8_t>("job.source");
  stages_ = o.group("stages");
  jobs_ = o.group("jobs");
  edges_ = o.group("edges");
}

DecimaInput::Rows DecimaInput::read(const Batch& b) const {
  Rows rows;
  rows.first_stage = b.offsets(stages_);
  rows.first_job = b.offsets(jobs_);
  rows.least = all_of(b, least_);
  read_jobs(b, rows);
  read_stages(b, rows);
  return rows;
}

void DecimaInput::read_jobs(const Batch& b, Rows& rows) const {
  const auto executors = all_of(b, job_executors_), moving = all_of(b, job_moving_),
             committed = all_of(b, job_committed_);
  const auto own = all_of(b, job_source_);
  rows.job = at::empty({static_cast<std::int64_t>(executors.size()), kJob});
  float* to = rows.job.data_ptr<float>();
  for (std::size_t r = 0; r < b.rows(); ++r) {
    float offered = 0, all = 0;
    for (const float n : b.row(r)[source_]) offered += n;
    for (const float n : b.row(r)[executors_]) all += n;
    rows.executors.push_back(all);
    const auto end = static_cast<std::size_t>(rows.first_job[r + 1]);
    for (auto j = static_cast<std::size_t>(rows.first_job[r]); j < end; ++j) {
      rows.row_of.push_back(static_cast<std::int64_t>(r));
      *to++ = (executors[j] + moving[j] + committed[j]) / kExecutors;
      *to++ = own[j] != 0 ? kOwn : -kOwn;
      *to++ = offered / kExecutors;
    }
  }
}

void DecimaInput::read_stages(const Batch& b, Rows& rows) const {
  const auto mean_s = all_of(b, mean_s_), left = all_of(b, left_), running = all_of(b, running_),
             committed = all_of(b, committed_), moving = all_of(b, moving_);
  const auto job = all_of(b, stage_job_);
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
      const float* of_job = jobs + j * kJob;
      const float duration_s = durations_ ? mean_s[s] : 0;
      if (features_ == Features::paper)
        std::ranges::copy(
            std::array{left[s] / kTasks, duration_s, running[s] / kExecutors, of_job[2], of_job[1]},
            to);
      else
        std::ranges::copy(std::array{of_job[0], of_job[1], of_job[2], left[s] * duration_s / kWorkS,
                                     left[s] / kTasks},
                          to);
    }
}

JobGraphs DecimaInput::graphs(const Batch& b, const Rows& rows) const {
  return job_graphs({.features = rows.stage,
                     .first_stage = rows.first_stage,
                     .first_job = rows.first_job,
                     .first_edge = b.offsets(edges_),
                     .job = all_of(b, stage_job_),
                     .parents = all_of(b, parent_),
                     .children = all_of(b, child_),
                     .marks = rows.unfinished});
}

}  // namespace park::agents
