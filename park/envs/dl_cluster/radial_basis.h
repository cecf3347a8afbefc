#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace park::dl_cluster {

/// A measured point of a speed table.
struct SpeedPoint {
  double servers = 0, workers = 0;  ///< numbers of parameter servers and of workers
  double samples_per_s = 0;         ///< of all workers together
  bool operator==(const SpeedPoint&) const = default;
};

/// Interpolation by linear radial basis functions: f(x) = sum over points i of w_i |x - x_i|, with
/// weights so that f passes through every point. DL2's code interpolates its table so (Rbf of SciPy
/// with function='linear'). Between points the surface may fall to 0 or below.
class RadialBasis {
 public:
  RadialBasis() = default;
  /// REQUIRES at least two points, no two of them at one place.
  explicit RadialBasis(std::span<const SpeedPoint>);

  [[nodiscard]] double at(double servers, double workers) const noexcept;

 private:
  std::vector<SpeedPoint> points_;
  std::vector<double> weights_;
};

}  // namespace park::dl_cluster
