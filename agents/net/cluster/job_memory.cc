// Vectors of jobs and stages in two tables. find makes keys of a batch, first those of the numbers
// as they are, then those of known jobs that are like them. look_up turns hashes of keys into rows
// of a table: without owners a hash has one place, with them it may own one of several. claim gives
// places away; the network calls it for what it sees in training.
#include "agents/net/cluster/job_memory.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

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

// Places of the tables; with owners a job needs one to itself.
constexpr std::int64_t kStages = 2048, kJobs = 512, kMostStages = 8192, kMostJobs = 1024;
constexpr std::uint64_t kProbes = 16;  // places that may be a hash's own

/// The place of a hash in a table: the one that it owns, of those that may be its own; else the first
/// of these that nobody owns, else -1.
std::int64_t place_of(const at::Tensor& owners, std::int64_t hash) {
  const auto* const owner = owners.data_ptr<std::int64_t>();
  const auto places = static_cast<std::uint64_t>(owners.size(0));
  std::int64_t free = -1;
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const auto place = static_cast<std::int64_t>((static_cast<std::uint64_t>(hash) + i) % places);
    if (owner[place] == hash) return place;
    if (owner[place] == 0 && free < 0) free = place;
  }
  return free;
}

/// A hash as owners have it: not 0.
std::int64_t owner_of(std::uint64_t hash) {
  return hash == 0 ? 1 : static_cast<std::int64_t>(hash);
}

}  // namespace

JobMemory::JobMemory(const Spec& spec, std::int64_t size, bool durations, bool keys)
    : durations_(durations),
      known_(spec),
      layout_(bind_layout<dag_scheduling::DagLayout>(spec)),
      stage_(table("stage", keys ? kMostStages : kStages, size, keys)),
      job_(table("job", keys ? kMostJobs : kJobs, size, keys)) {
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

JobMemory::Table JobMemory::table(const char* name, std::int64_t places, std::int64_t size,
                                  bool keys) {
  Table made{.vectors = register_parameter(name, at::zeros({places, size})), .owners = {}};
  if (keys)
    made.owners = register_buffer(std::string(name) + "_owner", at::zeros({places}, at::kLong));
  return made;
}

at::Tensor JobMemory::look_up(const Table& table, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::int64_t> rows;
  const at::Tensor owned = at::ones({static_cast<std::int64_t>(hashes.size()), 1});
  const auto places = static_cast<std::uint64_t>(table.vectors.size(0));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (!table.owners.defined()) {
      rows.push_back(static_cast<std::int64_t>(hashes[i] % places));
      continue;
    }
    const std::int64_t owner = owner_of(hashes[i]), place = place_of(table.owners, owner);
    const bool own = place >= 0 && table.owners.data_ptr<std::int64_t>()[place] == owner;
    rows.push_back(own ? place : 0);
    owned.data_ptr<float>()[i] = own ? 1 : 0;
  }
  const at::Tensor found =
      table.vectors.index_select(0, index_tensor(rows).to(table.vectors.device()));
  return table.owners.defined() ? found * owned.to(found.device()) : found;
}

void JobMemory::claim(const Table& table, std::vector<std::uint64_t> hashes) {
  std::ranges::sort(hashes);
  const auto again = std::ranges::unique(hashes);
  hashes.erase(again.begin(), again.end());
  for (const std::uint64_t hash : hashes)
    if (const std::int64_t place = place_of(table.owners, owner_of(hash)); place >= 0)
      table.owners.data_ptr<std::int64_t>()[place] = owner_of(hash);
}

void JobMemory::claim(const Keys& keys) {
  if (!stage_.owners.defined()) return;
  std::vector<std::uint64_t> stages;
  for (const std::uint64_t key : keys.stage) stages.push_back(mixed(key));
  claim(stage_, std::move(stages));
  claim(job_, keys.job);
}

at::Tensor JobMemory::of_stages(const Keys& keys, const std::vector<std::int64_t>& stages) const {
  std::vector<std::uint64_t> hashes;
  for (const std::int64_t s : stages)
    hashes.push_back(mixed(keys.stage[static_cast<std::size_t>(s)]));
  return look_up(stage_, hashes);
}

at::Tensor JobMemory::of_jobs(const Keys& keys, const std::vector<std::int64_t>& jobs) const {
  std::vector<std::uint64_t> hashes;
  for (const std::int64_t j : jobs) hashes.push_back(keys.job[static_cast<std::size_t>(j)]);
  return look_up(job_, hashes);
}

}  // namespace park::agents
