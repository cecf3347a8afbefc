#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace park::dag_scheduling::workload {

/// P(Z <= z) of a standard normal Z.
[[nodiscard]] double normal_probability(double z) noexcept;
/// The z with P(Z <= z) = p. REQUIRES 0 < p < 1.
[[nodiscard]] double normal_quantile(double p) noexcept;

/// A lognormal distribution as a few numbers, in place of measured samples. They are the quantiles
/// exp(s z_i) at the probabilities (i - 1/2) / kSamples, ascending, divided by their mean. The
/// parameter s is chosen such that these numbers have the required standard deviation. They are not
/// random, and mean and spread are exact.
class Spread {
 public:
  static constexpr std::size_t kSamples = 32;
  static constexpr double kMost = 3;  ///< the largest standard deviation over mean

  /// `variation`: standard deviation over mean, 0 to kMost.
  explicit Spread(double variation);

  /// With mean 1.
  [[nodiscard]] const std::array<double, kSamples>& shape() const noexcept { return shape_; }
  /// The shape times the mean, in whole ms and at least 1; one number where nothing varies.
  /// REQUIRES a mean of at most 100 000 s.
  [[nodiscard]] std::vector<std::uint32_t> samples_ms(double mean_s) const;

 private:
  std::array<double, kSamples> shape_;
  bool constant_;
};

}  // namespace park::dag_scheduling::workload
