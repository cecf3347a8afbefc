#include "park/envs/device_placement/row_problem.h"

#include <algorithm>

namespace park::device_placement {
namespace {

bool within(std::int32_t index, std::size_t count) {
  return index >= 0 && static_cast<std::size_t>(index) < count;
}

void read_graph(const PlacementLayout& l, ConstRow row, Graph& g) {
  g.clear();
  const std::size_t n = row.count(l.nodes);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t owner = row[l.owner][i];
    g.add(static_cast<double>(row[l.work_s][i]), static_cast<double>(row[l.output_bytes][i]),
          static_cast<double>(row[l.parameter_bytes][i]), within(owner, n) ? owner : -1);
  }
  const auto from = row[l.from], to = row[l.to], tensor = row[l.tensor];
  const auto bytes = row[l.edge_bytes];
  for (std::size_t e = 0; e < from.size(); ++e)
    if (within(from[e], n) && within(to[e], n) && from[e] < to[e])
      g.connect(from[e], to[e], static_cast<double>(bytes[e]), tensor[e]);
  g.sort_edges();
}

}  // namespace

void RowProblem::read(const PlacementLayout& l, ConstRow row) {
  read_graph(l, row, graph);
  const std::size_t devices = std::min(row.count(l.devices), kMaxDevices);
  cluster.resize(devices);
  for (std::size_t d = 0; d < devices; ++d) {
    cluster.speed[d] = static_cast<double>(row[l.speed][d]);
    // 1e18, no limit, is a little less as a float.
    const auto memory = static_cast<double>(row[l.memory][d]);
    cluster.memory[d] = memory > 0.999 * kNoLimit ? 2 * kNoLimit : memory;
  }
  const auto from = row[l.link_from], to = row[l.link_to];
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!within(from[k], devices) || !within(to[k], devices)) continue;
    const std::size_t link =
        static_cast<std::size_t>(from[k]) * devices + static_cast<std::size_t>(to[k]);
    cluster.bytes_per_s[link] = static_cast<double>(row[l.bandwidth][k]);
    cluster.latency_s[link] = static_cast<double>(row[l.latency_s][k]);
  }
  order = row.scalar(l.fifo) != 0 ? Order::fifo : Order::rank;
}

}  // namespace park::device_placement
