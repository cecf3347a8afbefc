#pragma once

#include <array>
#include <span>

#include "park/envs/circuit/topology.h"

namespace park::circuit {

/// A transistor at the operating point; magnitudes.
struct Operating {
  double current_a = 0, gm = 0, gds = 0, vdsat_v = 0, vds_v = 0;
};

/// What a simulation tells of a design.
struct Reading {
  Figures figures{};
  std::array<Operating, kMostTransistors> transistors{};  ///< in the order of the devices
  std::array<double, kMostNets> voltages{};               ///< of each net; ground has 0
};

/// Reads a reply to a request of NetlistWriter; the area follows from the sizes. False where the
/// values are not as many as the request asked for.
[[nodiscard]] bool read(const Topology&, const Sizes&, const Conditions&,
                        std::span<const double> values, Reading&);

}  // namespace park::circuit
