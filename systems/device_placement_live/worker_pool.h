#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "systems/device_placement_live/step_order.h"
#include "systems/process/child.h"

namespace park::device_placement_live {

/// The program of workers, and the socket to it. It ends with this object, and its workers with it.
class WorkerPool {
 public:
  /// Throws Error{unavailable} where the program is missing or is not ready in time.
  explicit WorkerPool(std::stop_token);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  struct Order {
    StepOrder head{};
    std::vector<OperationOrder> operations{};
    std::vector<EdgeOrder> edges{};
    std::vector<LinkOrder> links{};
  };
  /// Runs a step. Throws Error{unavailable} where a worker ends before it is done, with its device
  /// and status; where the program ends; and at a stop. The next step has new workers.
  [[nodiscard]] StepReport run(const Order&);

 private:
  void write(const void* from, std::size_t bytes);
  [[nodiscard]] StepReport read();
  [[noreturn]] void fail(const std::string& why) const;

  std::stop_token stop_;
  std::filesystem::path folder_;
  std::unique_ptr<process::Child> child_;
  int socket_ = -1;
};

}  // namespace park::device_placement_live
