#include "systems/spark/known_durations.h"

#include "park/core/rng.h"

namespace park::spark {
namespace {

std::uint64_t scattered(std::uint64_t number) { return Rng(number).bits(); }

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges_of(const dag_scheduling::Workload& workload, const dag_scheduling::Workload::Job& job) {
  Edges edges;
  for (std::uint32_t child = 0; child < job.stages; ++child)
    for (const std::uint32_t parent : workload.parents(workload.stages(job)[child]))
      edges.emplace_back(parent, child);
  return edges;
}

}  // namespace

std::vector<std::uint64_t> stage_shapes(
    std::span<const std::uint32_t> tasks,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  const std::size_t n = tasks.size();
  std::vector<std::vector<std::uint32_t>> children(n);
  std::vector<std::uint32_t> parents(n), ready;
  for (const auto& [parent, child] : edges) {
    children[parent].push_back(child);
    ++parents[child];
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (parents[i] == 0) ready.push_back(i);
  std::vector<std::uint64_t> before(n), shapes(n);  // sums, since parents have no order
  for (std::size_t at = 0; at < ready.size(); ++at) {
    const std::uint32_t i = ready[at];
    shapes[i] = scattered(before[i] + scattered(tasks[i]));
    for (const std::uint32_t child : children[i]) {
      before[child] += shapes[i];
      if (--parents[child] == 0) ready.push_back(child);
    }
  }
  return shapes;
}

KnownDurations::KnownDurations(const dag_scheduling::Workload& workload) {
  for (const dag_scheduling::Workload::Job& job : workload.jobs()) {
    const auto stages = workload.stages(job);
    std::vector<std::uint32_t> tasks;
    for (const auto& stage : stages) tasks.push_back(static_cast<std::uint32_t>(stage.tasks));
    const std::vector<std::uint64_t> shapes = stage_shapes(tasks, edges_of(workload, job));
    std::unordered_map<std::uint64_t, std::uint32_t> seen;
    Means& means = jobs_[job.name];
    for (std::size_t i = 0; i < stages.size(); ++i) {  // the mean of those of one shape
      double& mean_s = means[shapes[i]];
      mean_s += (stages[i].mean_duration_s - mean_s) / ++seen[shapes[i]];
    }
  }
}

std::optional<double> KnownDurations::mean_s(const std::string& job, std::uint64_t shape) const {
  const auto means = jobs_.find(job);
  if (means == jobs_.end()) return {};
  const auto mean = means->second.find(shape);
  return mean == means->second.end() ? std::nullopt : std::optional(mean->second);
}

std::shared_ptr<const KnownDurations> read_known_durations(const std::string& file) {
  return std::make_shared<KnownDurations>(*dag_scheduling::Workload::open(file));
}

}  // namespace park::spark
