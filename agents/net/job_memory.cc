#include "agents/net/job_memory.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <bit>

#include "agents/net/columns.h"
#include "agents/net/index_tensor.h"

namespace park::agents {
namespace {

/// Every bit of the result depends on every bit of both numbers: the finaliser of splitmix64.
std::uint64_t mix(std::uint64_t key, std::uint64_t more) {
  key ^= more + 0x9e3779b97f4a7c15 + (key << 6) + (key >> 2);
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
  key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
  return key ^ (key >> 31);
}

}  // namespace

JobMemory::JobMemory(const Spec& spec, std::int64_t size, bool durations)
    : durations_(durations),
      stage_(register_parameter("stage", at::zeros({kStages, size}))),
      job_(register_parameter("job", at::zeros({kJobs, size}))) {
  const Batch o(spec.observation);
  tasks_ = o.field<float>("stage.tasks");
  mean_s_ = o.field<float>("stage.mean_duration_s");
  stage_job_ = o.field<std::int32_t>("stage.job");
  stages_ = o.group("stages");
  jobs_ = o.group("jobs");
}

JobMemory::Places JobMemory::find(const Batch& b) const {
  const auto tasks = all_of(b, tasks_), mean_s = all_of(b, mean_s_);
  const auto stage_job = all_of(b, stage_job_);
  const auto first_stage = b.offsets(stages_), first_job = b.offsets(jobs_);
  Places p;
  p.job_of.resize(tasks.size());
  std::vector<std::uint64_t> stage(tasks.size());
  std::vector<std::uint64_t> job(static_cast<std::size_t>(first_job[b.rows()]));
  for (std::size_t r = 0; r < b.rows(); ++r)
    for (auto s = static_cast<std::size_t>(first_stage[r]);
         s < static_cast<std::size_t>(first_stage[r + 1]); ++s) {
      p.job_of[s] = static_cast<std::size_t>(first_job[r] + stage_job[s]);
      stage[s] = mix(std::bit_cast<std::uint32_t>(tasks[s]),
                     durations_ ? std::bit_cast<std::uint32_t>(mean_s[s]) : 0);
      job[p.job_of[s]] = mix(job[p.job_of[s]], stage[s]);
    }
  for (std::size_t s = 0; s < stage.size(); ++s)
    p.stage.push_back(static_cast<std::int64_t>(mix(stage[s], job[p.job_of[s]]) % kStages));
  for (const std::uint64_t key : job) p.job.push_back(static_cast<std::int64_t>(key % kJobs));
  return p;
}

at::Tensor JobMemory::of_stages(const Places& p, const std::vector<std::int64_t>& stages) const {
  std::vector<std::int64_t> stage, job;
  for (const std::int64_t s : stages) {
    const auto place = static_cast<std::size_t>(s);
    stage.push_back(p.stage[place]);
    job.push_back(p.job[p.job_of[place]]);
  }
  const at::Device device = stage_.device();
  return at::cat({stage_.index_select(0, index_tensor(stage).to(device)),
                  job_.index_select(0, index_tensor(job).to(device))},
                 1);
}

at::Tensor JobMemory::of_jobs(const Places& p) const {
  return job_.index_select(0, index_tensor(p.job).to(job_.device()));
}

}  // namespace park::agents
