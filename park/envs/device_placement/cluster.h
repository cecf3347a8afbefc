#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace park::device_placement {

inline constexpr std::size_t kMaxDevices = 8;
inline constexpr double kMinSpeed = 1e-3, kMaxSpeed = 1e3;
inline constexpr double kMinBandwidth = 1e3, kMaxBandwidth = 1e15;  ///< bytes per second
inline constexpr double kMaxLatencyS = 1e3;
/// Memory of a device without a limit, in bytes.
inline constexpr double kNoLimit = 1e18;

/// Devices, and a link for each ordered pair of them.
struct Cluster {
  std::vector<double> speed{};        ///< an operation takes work_s / speed
  std::vector<double> memory{};       ///< bytes
  std::vector<double> bytes_per_s{};  ///< [devices^2], from * devices + to
  std::vector<double> latency_s{};    ///< [devices^2]

  [[nodiscard]] std::size_t size() const noexcept { return speed.size(); }
  void resize(std::size_t devices) {
    speed.assign(devices, 1);
    memory.assign(devices, kNoLimit);
    bytes_per_s.assign(devices * devices, kMaxBandwidth);
    latency_s.assign(devices * devices, 0);
  }
};

}  // namespace park::device_placement
