#pragma once

#include <stop_token>
#include <utility>

#include "park/core/system_env.h"
#include "systems/device_placement_live/config.h"

namespace park::device_placement_live {

/// The running twin of device_placement. Each device is a process; tensors cross sockets between
/// them, and are held back until an emulated link has carried them. Decisions, rewards and metrics
/// are those of device_placement with measured steps. Times are divided by time_scale, so that they
/// have the unit of the graph.
class DevicePlacementLive final : public SystemEnv {
 public:
  using Config = LiveConfig;
  static constexpr const char* kName = kLiveName;
  [[nodiscard]] static Spec spec(const Config&);

  explicit DevicePlacementLive(Config config) : config_(std::move(config)) {}
  /// Throws Error{unavailable} where a worker ends before its step is done, and what
  /// LiveStep::step_s throws.
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  Config config_;
};

}  // namespace park::device_placement_live
