#pragma once

#include <memory>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/aqm/config.h"
#include "park/net/simulator.h"

namespace park::aqm {

/// What an episode draws from its inputs: a link, and senders behind its queue.
struct Workload {
  net::LinkConfig link;
  net::QueueConfig queue;
  net::PathConfig path;
  std::vector<net::FlowConfig> flows;
  double round_trip_s = 0, duration_s = 0;
  double mean_bytes_per_s = 0;
  double bdp_packets = 0;
};

/// Draws into `out`, which keeps its memory.
void draw_workload(const AqmConfig&, const std::shared_ptr<const net::Opportunities>&, Rng,
                   Workload& out);

}  // namespace park::aqm
