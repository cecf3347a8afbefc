#include "park/envs/dag_scheduling/workload_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "park/core/error.h"

namespace park::dag_scheduling {
namespace {

/// The size of a column as the index of what is appended next.
template <class T>
std::uint32_t next(const std::vector<T>& column, std::size_t more) {
  if (more > std::numeric_limits<std::uint32_t>::max() - column.size()) {
    throw Error(Errc::capacity, "workload: more than 4294967295 elements of a kind");
  }
  return static_cast<std::uint32_t>(column.size());
}

bool sooner(const StageProfile::Cell* a, const StageProfile::Cell* b) {
  return std::pair(a->wave, a->executors) < std::pair(b->wave, b->executors);
}

void append_cells(const StageProfile& stage, Workload::Data& data) {
  std::vector<const StageProfile::Cell*> sorted;
  for (const StageProfile::Cell& cell : stage.cells) sorted.push_back(&cell);
  std::stable_sort(sorted.begin(), sorted.end(), sooner);
  for (const StageProfile::Cell* cell : sorted) {
    const std::uint32_t begin = next(data.durations_ms, cell->durations_ms.size());
    data.cells.push_back({cell->wave, cell->executors, begin,
                          static_cast<std::uint32_t>(cell->durations_ms.size())});
    data.durations_ms.insert(data.durations_ms.end(), cell->durations_ms.begin(),
                             cell->durations_ms.end());
  }
}

void append_stage(const StageProfile& stage, Workload::Data& data) {
  Workload::Stage row{};
  row.tasks = stage.tasks;
  // Adding 0 makes -0 plain: equal workloads have equal bytes.
  row.cpus = stage.cpus + 0;
  row.memory = stage.memory + 0;
  row.run_s = stage.run_s + 0;
  row.cpu_s = stage.cpu_s + 0;
  row.first_parent = next(data.parents, stage.parents.size());
  row.parents = static_cast<std::uint32_t>(stage.parents.size());
  row.first_cell = next(data.cells, stage.cells.size());
  row.cells = static_cast<std::uint32_t>(stage.cells.size());
  data.parents.insert(data.parents.end(), stage.parents.begin(), stage.parents.end());
  std::sort(data.parents.end() - static_cast<std::ptrdiff_t>(stage.parents.size()),
            data.parents.end());
  append_cells(stage, data);
  data.stages.push_back(row);
}

}  // namespace

JobProfile job_profile(const Workload& workload, const Workload::Job& job) {
  JobProfile profile{job.name, {}};
  for (const Workload::Stage& stage : workload.stages(job)) {
    StageProfile& copy = profile.stages.emplace_back();
    copy.tasks = stage.tasks;
    copy.cpus = stage.cpus;
    copy.memory = stage.memory;
    copy.run_s = stage.run_s;
    copy.cpu_s = stage.cpu_s;
    const auto parents = workload.parents(stage);
    copy.parents.assign(parents.begin(), parents.end());
    for (const WorkloadCell& cell : workload.cells(stage)) {
      const auto samples = workload.durations_ms(cell);
      copy.cells.push_back({cell.wave, cell.executors, {samples.begin(), samples.end()}});
    }
  }
  return profile;
}

WorkloadBuilder::WorkloadBuilder(std::string name, std::string provenance, Inflation inflation) {
  set_head(std::move(name), std::move(provenance), inflation);
}

void WorkloadBuilder::set_head(std::string name, std::string provenance, Inflation inflation) {
  data_.name = std::move(name);
  data_.provenance = std::move(provenance);
  data_.inflation = inflation;
}

void WorkloadBuilder::add_job(const JobProfile& job) {
  data_.jobs.push_back({job.name, next(data_.stages, job.stages.size()),
                        static_cast<std::uint32_t>(job.stages.size())});
  for (const StageProfile& stage : job.stages) append_stage(stage, data_);
}

Workload WorkloadBuilder::build() {
  data_.jobs.shrink_to_fit();
  data_.stages.shrink_to_fit();
  data_.parents.shrink_to_fit();
  data_.cells.shrink_to_fit();
  data_.durations_ms.shrink_to_fit();
  return Workload(std::move(data_));
}

}  // namespace park::dag_scheduling
