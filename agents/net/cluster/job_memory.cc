#include "agents/net/cluster/job_memory.h"

#include <ATen/ops/zeros.h>

#include <bit>

#include "agents/net/columns.h"
#include "agents/net/index_tensor.h"

namespace park::agents {
namespace {

/// Every bit of the result depends on every bit of the key: the finaliser of splitmix64.
std::uint64_t mixed(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
  key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
  return key ^ (key >> 31);
}

}  // namespace

JobMemory::JobMemory(const Spec& spec, std::int64_t size, bool durations)
    : durations_(durations),
      layout_(bind_layout<dag_scheduling::DagLayout>(spec)),
      stage_(register_parameter("stage", at::zeros({kStages, size}))),
      job_(register_parameter("job", at::zeros({kJobs, size}))) {}

JobMemory::Keys JobMemory::find(const Batch& b) const {
  const auto tasks = all_of(b, layout_.tasks), mean_s = all_of(b, layout_.mean_s);
  const auto stage_job = all_of(b, layout_.stage_job);
  const auto first_stage = b.offsets(layout_.stages), first_job = b.offsets(layout_.jobs);
  Keys keys;
  keys.stage.resize(tasks.size());
  keys.job.resize(static_cast<std::size_t>(first_job[b.rows()]));
  std::vector<std::size_t> job_of(tasks.size());
  for (std::size_t r = 0; r < b.rows(); ++r)
    for (auto s = static_cast<std::size_t>(first_stage[r]);
         s < static_cast<std::size_t>(first_stage[r + 1]); ++s) {
      job_of[s] = static_cast<std::size_t>(first_job[r] + stage_job[s]);
      const std::uint64_t duration = durations_ ? std::bit_cast<std::uint32_t>(mean_s[s]) : 0;
      keys.stage[s] = duration << 32 | std::bit_cast<std::uint32_t>(tasks[s]);
      keys.job[job_of[s]] = keys.job[job_of[s]] * 0x9e3779b97f4a7c15 + keys.stage[s];
    }
  for (std::uint64_t& key : keys.job) key = mixed(key);
  for (std::size_t s = 0; s < keys.stage.size(); ++s) keys.stage[s] ^= keys.job[job_of[s]];
  return keys;
}

at::Tensor JobMemory::of_stages(const Keys& keys, const std::vector<std::int64_t>& stages) const {
  std::vector<std::int64_t> rows;
  for (const std::int64_t s : stages)
    rows.push_back(
        static_cast<std::int64_t>(mixed(keys.stage[static_cast<std::size_t>(s)]) % kStages));
  return stage_.index_select(0, index_tensor(rows).to(stage_.device()));
}

at::Tensor JobMemory::of_jobs(const Keys& keys, const std::vector<std::int64_t>& jobs) const {
  std::vector<std::int64_t> rows;
  for (const std::int64_t j : jobs)
    rows.push_back(static_cast<std::int64_t>(keys.job[static_cast<std::size_t>(j)] % kJobs));
  return job_.index_select(0, index_tensor(rows).to(job_.device()));
}

}  // namespace park::agents
