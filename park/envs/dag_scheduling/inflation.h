#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace park::dag_scheduling {

/// The situation in which a task was measured. An executor's previous task decides it.
enum class Wave : std::uint8_t {
  fresh,  ///< it was not a task of this job
  first,  ///< it was a task of this job, this is the first task of this stage on the executor
  rest,   ///< the stage's next tasks on the executor
};
inline constexpr std::size_t kWaves = 3;
[[nodiscard]] std::string_view wave_name(Wave) noexcept;

/// How durations grow when a job holds more executors than any measured cell of a stage. What it
/// gives is extrapolated, not measured. Per wave, the duration at n executors is proportional to
///
///     g(n) = 1 + slope * (min(n, fitted_to) - 1)^power
///
/// so growth stops where the data of the fit ended. Absent, durations do not grow at all.
struct Inflation {
  struct Growth {
    double slope = 0, power = 1;
    bool operator==(const Growth&) const = default;
  };

  bool present = false;
  std::array<Growth, kWaves> growth{};  ///< by wave
  double fitted_to = 1;                 ///< most executors in the data of the fit

  /// The duration at `to` executors over the duration at `from` executors; 1 when absent or when
  /// `to` is not above `from`. Both are at least 1.
  [[nodiscard]] double factor(Wave, double from, double to) const noexcept;

  bool operator==(const Inflation&) const = default;

  /// The coefficients of experiments/dag_scheduling/fit_inflation.py: least squares over the stages
  /// of Decima's TPC-H profiles, 5 to 100 executors. The form, the fit and its error are in
  /// docs/workload-format.md.
  [[nodiscard]] static Inflation fitted() noexcept;
};

}  // namespace park::dag_scheduling
