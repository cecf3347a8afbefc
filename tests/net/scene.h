#pragma once

#include <vector>

#include "park/net/simulator.h"

namespace park::net {

/// Flows of one kind on one link.
struct Scene {
  double mbps = 12, round_trip_s = 0.06;
  int flows = 1;
  SenderKind sender = SenderKind::cubic;
  QueueConfig queue{};
  PathConfig path{};
  double stagger_s = 0.1;
  Ecn ecn = Ecn::not_capable;
  std::uint64_t seed = 1;

  void start(Simulator& sim) const {
    std::vector<FlowConfig> all(static_cast<std::size_t>(flows));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].sender = sender;
      all[i].round_trip_s = round_trip_s;
      all[i].start_s = static_cast<double>(i) * stagger_s;
      all[i].ecn = ecn;
      all[i].packets_per_s = mbps * 1e6 / 12e3 / flows;
    }
    sim.reset({.bytes_per_s = mbps * 125e3}, queue, path, all, Rng(seed), Rng(seed + 1));
  }
};

[[nodiscard]] inline double utilisation(Simulator& sim) {
  return static_cast<double>(sim.counts().delivered_bytes) / sim.capacity();
}

}  // namespace park::net
