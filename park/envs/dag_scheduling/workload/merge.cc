// Puts measurements of the same job together. Stages of two graphs are matched by keys that are
// made of all their ancestors and descendants, so numbering does not matter. append_samples first
// compares the matched graphs and only then appends cells. merge_workloads goes over the inputs in
// order; `park workload import` calls it for several inputs, import_spark for executions.
#include "park/envs/dag_scheduling/workload/merge.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload/graph.h"

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::JobProfile;
using dag_scheduling::StageProfile;

/// What a stage looks like from its place in the graph: what is above it, then what is below.
using Key = std::pair<std::uint64_t, std::uint64_t>;

std::uint64_t mixed(std::uint64_t seed, std::vector<std::uint64_t> parts) {
  std::sort(parts.begin(), parts.end());
  for (const std::uint64_t part : parts) seed = Rng(seed ^ Rng(part).bits()).bits();
  return seed;
}

std::vector<Key> keys(const JobProfile& job) {
  const std::vector<std::size_t> order = topological(job);
  std::vector<Key> key(job.stages.size());
  for (const std::size_t s : order) {
    std::vector<std::uint64_t> above;
    for (const std::uint16_t parent : job.stages[s].parents) above.push_back(key[parent].first);
    key[s].first = mixed(static_cast<std::uint64_t>(job.stages[s].tasks), above);
  }
  std::vector<std::vector<std::uint64_t>> below(job.stages.size());
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    key[*at].second = mixed(key[*at].first, below[*at]);
    for (const std::uint16_t parent : job.stages[*at].parents) {
      below[parent].push_back(key[*at].second);
    }
  }
  return key;
}

std::vector<std::size_t> sorted_by(const std::vector<Key>& key) {
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  return order;
}

/// How `from`, with its stage s placed at place[s], differs from `into` in one clause; or nothing.
std::optional<std::string> difference(const JobProfile& into, const JobProfile& from,
                                      const std::vector<std::size_t>& place) {
  for (std::size_t s = 0; s < from.stages.size(); ++s) {
    const StageProfile& mine = into.stages[place[s]];
    const StageProfile& other = from.stages[s];
    const std::string stage = "stage " + std::to_string(place[s]);
    if (mine.tasks != other.tasks) {
      return stage + " has " + std::to_string(mine.tasks) + " tasks in one and " +
             std::to_string(other.tasks) + " in another";
    }
    if (mine.cpus != other.cpus || mine.memory != other.memory) {
      return stage + " has different demands";
    }
    std::vector<std::size_t> parents, others;
    for (const std::uint16_t parent : mine.parents) parents.push_back(parent);
    for (const std::uint16_t parent : other.parents) {
      others.push_back(parent < place.size() ? place[parent] : parent);
    }
    std::sort(parents.begin(), parents.end());
    std::sort(others.begin(), others.end());
    if (parents != others) return stage + " has different parents";
  }
  return std::nullopt;
}

void append_cells(StageProfile& into, const StageProfile& from) {
  into.run_s += from.run_s;
  into.cpu_s += from.cpu_s;
  for (const StageProfile::Cell& cell : from.cells) {
    const auto same = [&](const StageProfile::Cell& other) {
      return other.wave == cell.wave && other.executors == cell.executors;
    };
    const auto at = std::find_if(into.cells.begin(), into.cells.end(), same);
    if (at == into.cells.end()) {
      into.cells.push_back(cell);
    } else {
      at->durations_ms.insert(at->durations_ms.end(), cell.durations_ms.begin(),
                              cell.durations_ms.end());
    }
  }
}

}  // namespace

std::optional<std::string> append_samples(JobProfile& into, const JobProfile& from) {
  if (into.stages.size() != from.stages.size()) {
    return "it has " + std::to_string(into.stages.size()) + " stages in one and " +
           std::to_string(from.stages.size()) + " in another";
  }
  std::vector<std::size_t> place(from.stages.size());
  std::iota(place.begin(), place.end(), std::size_t{0});
  std::optional<std::string> as_numbered = difference(into, from, place);
  if (as_numbered) {
    const std::vector<std::size_t> mine = sorted_by(keys(into)), theirs = sorted_by(keys(from));
    for (std::size_t i = 0; i < place.size(); ++i) place[theirs[i]] = mine[i];
    if (difference(into, from, place)) return as_numbered;
  }
  for (std::size_t s = 0; s < place.size(); ++s) {
    append_cells(into.stages[place[s]], from.stages[s]);
  }
  return std::nullopt;
}

dag_scheduling::Workload merge_workloads(std::span<const dag_scheduling::Workload* const> inputs,
                                         const MergeOptions& options) {
  if (inputs.empty()) throw Error(Errc::bad_file, "merge: there must be at least one input");
  std::vector<JobProfile> jobs;
  std::unordered_map<std::string, std::size_t> index;
  std::string provenance;
  Violations violations;
  for (const dag_scheduling::Workload* input : inputs) {
    if (!options.inflation && input->inflation() != inputs[0]->inflation()) {
      violations.add("inflation: the inputs differ; give model or none");
    }
    // Inputs made the same way say so once.
    if (provenance.find(input->provenance()) == std::string::npos) {
      provenance += (provenance.empty() ? "" : "\n") + input->provenance();
    }
    for (const dag_scheduling::Workload::Job& job : input->jobs()) {
      const auto [at, added] = index.try_emplace(job.name, jobs.size());
      JobProfile profile = dag_scheduling::job_profile(*input, job);
      if (added) {
        jobs.push_back(std::move(profile));
      } else if (const auto clause = append_samples(jobs[at->second], profile)) {
        violations.add("job " + job.name + ": the inputs differ: " + *clause);
      }
    }
  }
  violations.throw_if_any(Errc::bad_file);
  dag_scheduling::WorkloadBuilder builder(options.name.empty() ? inputs[0]->name() : options.name,
                                          provenance,
                                          options.inflation.value_or(inputs[0]->inflation()));
  for (const JobProfile& job : jobs) builder.add_job(job);
  return builder.build();
}

}  // namespace park::dag_scheduling::workload
