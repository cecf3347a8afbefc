// Figures of a design. `read` takes the values of a reply in the order in which NetlistWriter asks
// for them: transistors, nets, currents of supplies, frequencies, outputs. A figure at a frequency
// that lies between two points is interpolated on logarithmic axes. Simulator calls read.
#include "park/envs/circuit/figures.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace park::circuit {
namespace {

constexpr double kMhz = 1e6, kMw = 1e-3;

/// The gain over frequencies: of one output, or between two.
class Response {
 public:
  /// n frequencies, then the real and the imaginary part of each output at each.
  Response(std::span<const double> values, std::size_t n, std::size_t outputs)
      : hz_(values.first(n)), parts_(values.subspan(n)), n_(n), outputs_(outputs) {}

  [[nodiscard]] std::complex<double> at(std::size_t i) const {
    const std::complex<double> first(parts_[2 * i], parts_[2 * i + 1]);
    if (outputs_ == 1) return first;
    return first - std::complex<double>(parts_[2 * (n_ + i)], parts_[2 * (n_ + i) + 1]);
  }
  [[nodiscard]] double magnitude(std::size_t i) const { return std::abs(at(i)); }

  struct Crossing {
    double hz = 0, phase_rad = 0;
  };
  /// Where the magnitude first falls below a level. Of a response that begins below it: nothing, 0.
  /// Of one that never falls so far: the last frequency.
  [[nodiscard]] Crossing falls_below(double level) const {
    if (!(magnitude(0) >= level)) return {};
    double phase = std::arg(at(0));
    for (std::size_t i = 1; i < n_; ++i) {
      const double turn = std::arg(at(i) / at(i - 1));  // less than half a turn between points
      if (magnitude(i) < level) {
        const double share =
            std::log(magnitude(i - 1) / level) / std::log(magnitude(i - 1) / magnitude(i));
        return {hz_[i - 1] * std::pow(hz_[i] / hz_[i - 1], share), phase + share * turn};
      }
      phase += turn;
    }
    return {hz_[n_ - 1], phase};
  }

 private:
  std::span<const double> hz_, parts_;
  std::size_t n_, outputs_;
};

void read_response(const Topology& t, const Response& r, Figures& f) {
  const double first = r.magnitude(0);
  if (t.models == Models::level_1) {
    f[gain] = first;
    f[bandwidth] = r.falls_below(first / std::numbers::sqrt2).hz / kMhz;
    f[phase_margin] = 0;
    return;
  }
  const Response::Crossing one = r.falls_below(1);
  f[gain] = 20 * std::log10(std::max(first, 1e-9));
  f[bandwidth] = one.hz / kMhz;
  f[phase_margin] = one.hz == 0 ? 0 : 180 + one.phase_rad * 180 / std::numbers::pi;
}

}  // namespace

bool read(const Topology& t, const Sizes& sizes, const Conditions& c,
          std::span<const double> values, Reading& out) {
  out = {};
  std::size_t transistors = 0;
  for (const Device& d : t.devices) transistors += d.transistor();
  const std::size_t supplies = t.two_supplies ? 2 : 1;
  const std::size_t fixed = transistors * 5 + t.nets.size() - 1 + supplies;
  if (values.size() <= fixed) return false;
  const auto n = static_cast<std::size_t>(values[fixed]);
  if (n < 2 || values.size() != fixed + 1 + n + 2 * n * t.outputs.size()) return false;
  for (std::size_t i = 0; i < transistors; ++i) {
    const auto v = values.subspan(5 * i, 5);
    out.transistors[i] = {std::abs(v[0]), std::abs(v[1]), std::abs(v[2]), std::abs(v[3]),
                          std::abs(v[4])};
  }
  for (std::size_t i = 1; i < t.nets.size(); ++i) out.voltages[i] = values[transistors * 5 + i - 1];
  double current_a = 0;
  for (std::size_t i = 0; i < supplies; ++i) current_a += std::abs(values[fixed - supplies + i]);
  out.figures[power] = current_a * t.supply_v * c.supply / kMw;
  out.figures[area] = t.area(sizes);
  read_response(t, Response(values.subspan(fixed + 1), n, t.outputs.size()), out.figures);
  return true;
}

}  // namespace park::circuit
