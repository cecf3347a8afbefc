#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systems/device_placement_live/step_order.h"
#include "systems/device_placement_live/workers/kernel.h"

namespace park::device_placement_live {

/// A step as the workers have it, by fork.
struct Step {
  StepOrder order;
  std::vector<OperationOrder> operations;
  std::vector<EdgeOrder> edges;
  std::vector<LinkOrder> links;
};

/// What workers leave behind, in memory that they share with the program that forked them.
struct WorkerResult {
  double end_s = 0;  ///< when its last operation ended, by the monotonic clock
  std::uint64_t outputs = 0;
};

/// Seconds of the monotonic clock, which all processes share.
[[nodiscard]] double monotonic_s();

/// Runs the operations of one device. peers[d] is a socket of whole messages to the worker of device
/// d, -1 for its own. Starts at begin_s. Returns when all its operations are done and sent; throws
/// std::runtime_error where a peer is gone.
void run_worker(const Step&, std::int32_t device, const std::array<int, kMostDevices>& peers,
                double begin_s, WorkerResult&);

}  // namespace park::device_placement_live
