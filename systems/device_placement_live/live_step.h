#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "park/envs/device_placement/device_placement.h"
#include "systems/device_placement_live/config.h"
#include "systems/device_placement_live/worker_pool.h"

namespace park::device_placement_live {

/// Runs steps in processes. With kind=compute one kernel is measured first. Operations then run it
/// so often that they take their time on an idle core. Their outputs are compared with those of one
/// process.
class LiveStep final : public device_placement::StepRunner {
 public:
  LiveStep(const LiveConfig&, std::stop_token);

  /// Throws Error{unavailable}: see WorkerPool::run; kind=compute also where outputs differ from
  /// those of one process, and as steady_kernel_s.
  double step_s(const device_placement::Simulator&, std::span<const std::int32_t> device) override;

  static constexpr double kMostSpread = 0.1;  ///< (90 % - 10 %) / median
  /// The seconds of a kernel that was measured. Throws Error{unavailable}, "the machine is too busy",
  /// where its times spread by more than kMostSpread.
  [[nodiscard]] static double steady_kernel_s(const StepReport& measured);

 private:
  void write_order(const device_placement::Simulator&, std::span<const std::int32_t> device);

  LiveConfig config_;
  WorkerPool pool_;
  WorkerPool::Order order_;
  double kernel_s_ = 0;
};

}  // namespace park::device_placement_live
