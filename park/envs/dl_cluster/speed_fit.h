#pragma once

#include <array>
#include <span>

#include "park/envs/dl_cluster/radial_basis.h"

namespace park::dl_cluster {

/// The model of the step time that Optimus fits to measured speeds (Peng et al., EuroSys 2018,
/// equation 3). Up to the size of the batch, it is 1 / speed = a / w + b + c w / p + d w + e p.
/// There are w workers and p servers. The five weights a to e are at least 0.
struct SpeedFit {
  std::array<double, 5> weights{};
  [[nodiscard]] double samples_per_s(double servers, double workers) const noexcept;
};

/// Non-negative least squares of the relative errors of the step time, by coordinate descent.
/// Points without speed are left out. The fit of no point has the speed 0.
[[nodiscard]] SpeedFit fit_speeds(std::span<const SpeedPoint>);

}  // namespace park::dl_cluster
