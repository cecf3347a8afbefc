#include "park/envs/dag_scheduling/workload/graph.h"

#include <cstdint>

namespace park::dag_scheduling::workload {

std::vector<std::size_t> topological(const dag_scheduling::JobProfile& job) {
  std::vector<std::vector<std::size_t>> children(job.stages.size());
  std::vector<std::size_t> waiting(job.stages.size()), order;
  for (std::size_t s = 0; s < job.stages.size(); ++s) {
    waiting[s] = job.stages[s].parents.size();
    for (const std::uint16_t parent : job.stages[s].parents) {
      if (parent < children.size()) children[parent].push_back(s);
    }
    if (waiting[s] == 0) order.push_back(s);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t child : children[order[i]]) {
      if (--waiting[child] == 0) order.push_back(child);
    }
  }
  return order;
}

}  // namespace park::dag_scheduling::workload
