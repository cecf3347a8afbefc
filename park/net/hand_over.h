// How a policy hands over to a built-in sender or queue. A head of a policy is a number from a
// continuum, such as a change of rate. The numbers (kind + second) 2^-60 with kind = 1 .. 15 and
// `second` in [0, 1) stand apart: they ask for the built-in algorithm of that kind. Such a number is no
// sensible change of a rate, and a network does not come upon one. So one head serves learned policies
// and heuristics, and neither has to know of the other. A running twin does the same by setting the
// congestion control of a socket.
#pragma once

#include <algorithm>
#include <cmath>

namespace park::net {

struct HandOver {
  int kind = 0;                  ///< 0: the policy decides itself
  double first = 0, second = 0;  ///< parameters; 0: the default
  bool operator==(const HandOver&) const = default;
};

/// A parameter from 1e-4 to 1e4 as a number in (0, 1), on a logarithmic scale; 0 stays 0.
[[nodiscard]] inline double to_unit(double value) noexcept {
  return value > 0 ? std::clamp((std::log10(value) + 4) / 8, 1e-5, 1 - 1e-5) : 0;
}
/// The parameter, rounded to three digits.
[[nodiscard]] inline double from_unit(double unit) noexcept {
  if (!(unit >= 5e-6)) return 0;
  const double value = std::pow(10, unit * 8 - 4);
  const double digit = std::pow(10, std::floor(std::log10(value * (1 + 1e-9))) - 2);
  return std::round(value / digit) * digit;
}

inline constexpr float kHandOverScale = 0x1p-60F;

/// The number of a head. The first parameter goes into another head or, where there is none, takes
/// the place of the second.
[[nodiscard]] inline float hand_over_code(int kind, double parameter) noexcept {
  constexpr double kSteps = 1 << 18;
  const double steps = std::round(to_unit(parameter) * kSteps);
  return static_cast<float>(kind + std::min(steps, kSteps - 1) / kSteps) * kHandOverScale;
}

/// What such a number asks for: a kind of 0 where it is none of them.
[[nodiscard]] inline HandOver read_hand_over(float code) noexcept {
  const auto y = static_cast<double>(code / kHandOverScale);
  if (!(y >= 1 && y < 16)) return {};
  const double kind = std::floor(y);
  return {.kind = static_cast<int>(kind), .first = 0, .second = from_unit(y - kind)};
}

}  // namespace park::net
