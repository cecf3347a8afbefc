#include "park/envs/dag_scheduling/workload/describe.h"

#include <algorithm>
#include <set>

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::Workload;

/// Longest chains by dynamic programming, children after parents.
class Chains {
 public:
  Chains(const Workload& workload, const Workload::Job& job)
      : workload_(workload), stages_(workload.stages(job)) {
    known_.resize(stages_.size());
    for (std::size_t s = 0; s < stages_.size(); ++s) visit(s);
  }

  struct Chain {
    std::size_t stages = 0;  // 0: not known yet
    double seconds = 0;
  };
  [[nodiscard]] const std::vector<Chain>& ending_at() const noexcept { return known_; }

 private:
  /// Without recursion: a chain may be as long as a job has stages.
  void visit(std::size_t start) {
    std::vector<std::size_t> open = {start};
    while (!open.empty()) {
      const std::size_t s = open.back();
      Chain longest;
      bool ready = true;
      for (const std::uint16_t parent : workload_.parents(stages_[s])) {
        if (known_[parent].stages == 0) {
          open.push_back(parent);
          ready = false;
        }
        longest.stages = std::max(longest.stages, known_[parent].stages);
        longest.seconds = std::max(longest.seconds, known_[parent].seconds);
      }
      if (!ready) continue;
      open.pop_back();
      known_[s] = {longest.stages + 1, longest.seconds + stages_[s].mean_duration_s};
    }
  }

  const Workload& workload_;
  std::span<const Workload::Stage> stages_;
  std::vector<Chain> known_;
};

JobSummary summarize(const Workload& workload, const Workload::Job& job) {
  JobSummary summary;
  summary.name = job.name;
  summary.stages = job.stages;
  std::set<std::uint16_t> executors;
  for (const Workload::Stage& stage : workload.stages(job)) {
    summary.edges += stage.parents;
    summary.tasks += stage.tasks;
    summary.work_s += stage.tasks * stage.mean_duration_s;
    summary.run_s += stage.run_s;
    summary.cpu_s += stage.cpu_s;
    for (const dag_scheduling::WorkloadCell& cell : workload.cells(stage)) {
      summary.samples += cell.count;
      executors.insert(cell.executors);
    }
  }
  summary.executors.assign(executors.begin(), executors.end());
  const Chains chains(workload, job);
  for (const Chains::Chain& chain : chains.ending_at()) {
    summary.levels = std::max(summary.levels, chain.stages);
    summary.critical_path_s = std::max(summary.critical_path_s, chain.seconds);
  }
  return summary;
}

}  // namespace

WorkloadSummary summarize(const Workload& workload) {
  WorkloadSummary all;
  all.name = workload.name();
  all.provenance = workload.provenance();
  all.inflation = workload.inflation();
  all.jobs = workload.jobs().size();
  all.memory_bytes = workload.memory_bytes();
  all.total.name = "total";
  std::set<std::uint16_t> executors;
  for (const Workload::Job& job : workload.jobs()) {
    const JobSummary& one = all.per_job.emplace_back(summarize(workload, job));
    all.total.stages += one.stages;
    all.total.edges += one.edges;
    all.total.levels = std::max(all.total.levels, one.levels);
    all.total.tasks += one.tasks;
    all.total.work_s += one.work_s;
    all.total.critical_path_s = std::max(all.total.critical_path_s, one.critical_path_s);
    all.total.run_s += one.run_s;
    all.total.cpu_s += one.cpu_s;
    all.total.samples += one.samples;
    executors.insert(one.executors.begin(), one.executors.end());
  }
  all.total.executors.assign(executors.begin(), executors.end());
  return all;
}

}  // namespace park::dag_scheduling::workload
