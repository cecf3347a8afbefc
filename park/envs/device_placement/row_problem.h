#pragma once

#include "park/core/batch.h"
#include "park/envs/device_placement/cluster.h"
#include "park/envs/device_placement/graph.h"
#include "park/envs/device_placement/layout.h"
#include "park/envs/device_placement/simulator.h"

namespace park::device_placement {

/// The graph and the cluster that an observation shows. Rows of other people may contradict
/// themselves: an edge that leads back is left out, and of devices the first kMaxDevices count.
struct RowProblem {
  Graph graph;
  Cluster cluster;
  Order order = Order::rank;

  void read(const PlacementLayout&, ConstRow);
};

}  // namespace park::device_placement
