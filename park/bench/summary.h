#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace park::bench {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// An interval [low, high]; both undefined (NaN) where there is none.
struct Interval {
  double low = kUndefined, high = kUndefined;
};

/// A sample's estimate of the mean of its distribution.
struct Summary {
  std::size_t count = 0;
  double mean = kUndefined;  ///< undefined for no value and where a value is undefined
  double sd = kUndefined;    ///< standard deviation with n - 1; undefined below two values
  Interval ci95{};           ///< interval of the mean, from Student's t; undefined below two values
};

/// Sum with Neumaier's compensation (ZAMM 54, 1974): the error does not grow with the count.
[[nodiscard]] double stable_sum(std::span<const double> values);

/// Mean and standard deviation in two passes. A value that is not a number makes all of it
/// undefined, an infinite one the spread.
[[nodiscard]] Summary summarize(std::span<const double> values);

/// The summary of a[i] - b[i]. REQUIRES equal sizes.
[[nodiscard]] Summary summarize_difference(std::span<const double> a, std::span<const double> b);

/// The q-quantile, 0 <= q <= 1, by linear interpolation between order statistics (type 7 of
/// Hyndman and Fan, The American Statistician 50, 1996). Undefined for no value or a NaN.
[[nodiscard]] double quantile(std::span<const double> values, double q);

/// P(T <= t) of Student's t distribution with `freedom` > 0 degrees of freedom.
[[nodiscard]] double student_cdf(double t, double freedom);

/// The t with P(T <= t) = p, 0 < p < 1.
[[nodiscard]] double student_quantile(double p, double freedom);

}  // namespace park::bench
