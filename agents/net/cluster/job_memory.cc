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

/// The key of a job with one stage more.
std::uint64_t extended(std::uint64_t job, std::uint64_t stage) {
  return job * 0x9e3779b97f4a7c15 + stage;
}

}  // namespace

JobMemory::JobMemory(const Spec& spec, std::int64_t size, bool durations)
    : durations_(durations),
      known_(spec),
      layout_(bind_layout<dag_scheduling::DagLayout>(spec)),
      stage_(register_parameter("stage", at::zeros({kStages, size}))),
      job_(register_parameter("job", at::zeros({kJobs, size}))) {
  for (const dag_scheduling::KnownJobs::Job& job : known_.all()) {
    std::uint64_t key = 0;
    for (std::size_t s = 0; s < job.tasks.size(); ++s)
      key = extended(key, stage_key(job.tasks[s], job.mean_s[s]));
    exact_.insert(key);
  }
}

std::uint64_t JobMemory::stage_key(float tasks, float mean_s) const {
  const std::uint64_t duration = durations_ ? std::bit_cast<std::uint32_t>(mean_s) : 0;
  return duration << 32 | std::bit_cast<std::uint32_t>(tasks);
}

JobMemory::Keys JobMemory::find(const Batch& b) const {
  const auto tasks = all_of(b, layout_.tasks), mean_s = all_of(b, layout_.mean_s);
  const auto stage_job = all_of(b, layout_.stage_job);
  const auto first_stage = b.offsets(layout_.stages), first_job = b.offsets(layout_.jobs);
  Keys keys;
  keys.stage.resize(tasks.size());
  keys.job.resize(static_cast<std::size_t>(first_job[b.rows()]));
  std::vector<std::size_t> job_of(tasks.size());
  std::vector<std::size_t> stages(keys.job.size());  // of each job, which are adjacent
  for (std::size_t r = 0; r < b.rows(); ++r)
    for (auto s = static_cast<std::size_t>(first_stage[r]);
         s < static_cast<std::size_t>(first_stage[r + 1]); ++s) {
      job_of[s] = static_cast<std::size_t>(first_job[r] + stage_job[s]);
      keys.stage[s] = stage_key(tasks[s], mean_s[s]);
      keys.job[job_of[s]] = extended(keys.job[job_of[s]], keys.stage[s]);
      ++stages[job_of[s]];
    }
  if (durations_ && !exact_.empty()) recognise(tasks, mean_s, stages, keys);
  for (std::uint64_t& key : keys.job) key = mixed(key);
  for (std::size_t s = 0; s < keys.stage.size(); ++s) keys.stage[s] ^= keys.job[job_of[s]];
  return keys;
}

/// Gives jobs that are described differently the keys of the known jobs that they are like.
void JobMemory::recognise(std::span<const float> tasks, std::span<const float> mean_s,
                          const std::vector<std::size_t>& stages, Keys& keys) const {
  std::size_t first = 0;
  for (std::size_t j = 0; j < stages.size(); first += stages[j++]) {
    if (exact_.contains(keys.job[j])) continue;
    const dag_scheduling::KnownJobs::Job* known =
        known_.find(tasks.subspan(first, stages[j]), mean_s.subspan(first, stages[j]));
    if (known == nullptr) continue;
    keys.job[j] = 0;
    for (std::size_t s = 0; s < stages[j]; ++s) {
      keys.stage[first + s] = stage_key(known->tasks[s], known->mean_s[s]);
      keys.job[j] = extended(keys.job[j], keys.stage[first + s]);
    }
  }
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
