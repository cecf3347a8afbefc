#pragma once

#include <cmath>
#include <variant>

#include "park/core/rng.h"

namespace park::sim {

/// Distributions of sizes, of service times and of the gaps between arrivals. Draw k of one is made
/// of number k of a stream, so it does not depend on other draws.

struct Constant {
  double value = 0;
  [[nodiscard]] double draw(Rng&) const noexcept { return value; }
};

struct Exponential {
  double mean = 0;
  [[nodiscard]] double draw(Rng& rng) const noexcept { return rng.exponential(mean); }
};

/// Exponential by log(1 - u). 1 - u is exact, so the logarithm loses nothing against log1p(-u),
/// which costs more. The results differ in the last bit: episodes replay with the form that they
/// were made with.
struct FastExponential {
  double mean = 0;
  [[nodiscard]] double draw(Rng& rng) const noexcept {
    return -mean * std::log(1.0 - rng.uniform());
  }
};

/// 1, 2, ...: the trials up to the first success.
class Geometric {
 public:
  /// Always 1 where success is certain.
  explicit Geometric(double success) noexcept : log_failure_(std::log1p(-success)) {}
  [[nodiscard]] double draw(Rng& rng) const noexcept {
    return 1 + std::floor(std::log1p(-rng.uniform()) / log_failure_);
  }

 private:
  double log_failure_;  // -inf where success is certain
};

/// P(X > x) = (scale / x)^shape for x >= scale.
class Pareto {
 public:
  Pareto(double shape, double scale) noexcept : exponent_(-1.0 / shape), scale_(scale) {}
  [[nodiscard]] double draw(Rng& rng) const noexcept {
    return scale_ * std::pow(1.0 - rng.uniform(), exponent_);
  }

 private:
  double exponent_, scale_;
};

struct Uniform {
  double low = 0, high = 0;
  [[nodiscard]] double draw(Rng& rng) const noexcept { return rng.uniform(low, high); }
};

/// Two values.
struct Bimodal {
  double small = 0, large = 0, large_share = 0;
  [[nodiscard]] double draw(Rng& rng) const noexcept {
    return rng.uniform() < large_share ? large : small;
  }
};

using Distribution =
    std::variant<Constant, Exponential, FastExponential, Geometric, Pareto, Uniform, Bimodal>;

[[nodiscard]] inline double draw(const Distribution& from, Rng& rng) {
  return std::visit([&](const auto& one) { return one.draw(rng); }, from);
}

/// A draw for each element, stored by store(element, value). The kind is looked up once.
template <class Elements, class Store>
void draw_all(const Distribution& from, Rng& rng, Elements& elements, Store&& store) {
  std::visit(
      [&](const auto& one) {
        for (auto& element : elements) store(element, one.draw(rng));
      },
      from);
}

}  // namespace park::sim
