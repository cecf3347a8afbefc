// What the supervisor writes to the program of workers, and what comes back. Both are parts of one build,
// so an order is a header and plain arrays behind it, on a stream socket.
#pragma once

#include <cstdint>

namespace park::device_placement_live {

/// Rises when anything in this header changes.
inline constexpr std::int32_t kOrderVersion = 1;
inline constexpr const char* kWorkersProgram = "park_placement_workers";
inline constexpr std::int32_t kMostDevices = 8;

enum class OrderKind : std::int32_t {
  timed,    ///< an operation is a sleep
  compute,  ///< an operation multiplies matrices, on one thread of LibTorch
  kernel    ///< nothing is placed: measures one kernel
};

/// A step to run. Behind it come `operations` OperationOrder by number, `edges` EdgeOrder by `from`,
/// then devices^2 LinkOrder.
struct StepOrder {
  std::int32_t version = kOrderVersion;
  OrderKind kind = OrderKind::timed;
  std::int32_t devices = 0, operations = 0, edges = 0;
  std::int32_t fifo = 0;  ///< 1: ready operations run first come, first served
};
struct OperationOrder {
  double cost_s = 0;  ///< on its device
  std::int32_t device = 0;
  std::int32_t place = 0;    ///< among all operations by rank; smaller ones go first
  std::int32_t kernels = 0;  ///< compute: how many times the kernel runs
};
struct EdgeOrder {
  std::int32_t from = 0, to = 0, tensor = 0;
  double transfer_s = 0;  ///< bytes / bandwidth of the link between their devices
};
struct LinkOrder {
  double latency_s = 0;
};

/// The answer. `failed_device` >= 0: that worker ended with `status`, 128 + the signal that ended it.
struct StepReport {
  std::int32_t failed_device = -1, status = 0;
  double step_s = 0;
  double kernel_s = 0, spread = 0;  ///< kernel: the median time, and (90 % - 10 %) / median
  std::uint64_t outputs = 0;        ///< compute: a checksum of what all operations made
};

}  // namespace park::device_placement_live
