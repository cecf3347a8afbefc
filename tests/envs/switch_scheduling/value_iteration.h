// Relative value iteration for the switch of two ports with per-input arrivals. A state is the four
// queues, cut at a cap; a cell beyond it is lost. Each slot takes one of the two matchings. The
// expectation is taken input by input: two stages of three terms.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace park::test {

class TwoPortOptimum {
 public:
  /// `straight` is the share of an input's cells that go to the output of its number.
  TwoPortOptimum(std::size_t cap, double load, double straight)
      : cap_(cap), side_(cap + 1), load_(load), straight_(straight) {
    const std::size_t states = side_ * side_ * side_ * side_;
    cost_.resize(states);
    served_.resize(states);
    heavier_.resize(states);
    for (std::size_t s = 0; s < states; ++s) {
      const Queues q = queues(s);
      cost_[s] = static_cast<double>(q[0] + q[1] + q[2] + q[3]);
      served_[s] = {state({less(q[0]), q[1], q[2], less(q[3])}),
                    state({q[0], less(q[1]), less(q[2]), q[3]})};
      heavier_[s] = q[0] + q[3] >= q[1] + q[2] ? 0 : 1;
    }
  }

  /// The mean number of cells at the beginning of a slot, within the tolerance. It is that of the
  /// best policy, or of MaxWeight, whose ties go to the outputs of equal numbers.
  [[nodiscard]] double mean_cells(bool max_weight, double tolerance) const {
    std::vector<double> value(cost_.size()), after(cost_.size()), half(cost_.size());
    for (;;) {
      arrive(value, half, 0);
      arrive(half, after, 1);
      double low = 1e300, high = -1e300;
      const double base = value[0];
      for (std::size_t s = 0; s < cost_.size(); ++s) {
        const double next = cost_[s] + best(after, s, max_weight);
        low = std::min(low, next - value[s]);
        high = std::max(high, next - value[s]);
        half[s] = next - base;
      }
      value.swap(half);
      if (high - low < tolerance) return (low + high) / 2;
    }
  }

 private:
  using Queues = std::array<std::size_t, 4>;  // (0,0), (0,1), (1,0), (1,1)

  [[nodiscard]] static std::size_t less(std::size_t q) { return q > 0 ? q - 1 : 0; }
  [[nodiscard]] Queues queues(std::size_t s) const {
    return {s / (side_ * side_ * side_), s / (side_ * side_) % side_, s / side_ % side_, s % side_};
  }
  [[nodiscard]] std::size_t state(const Queues& q) const {
    return ((q[0] * side_ + q[1]) * side_ + q[2]) * side_ + q[3];
  }
  [[nodiscard]] double best(const std::vector<double>& after, std::size_t s,
                            bool max_weight) const {
    if (max_weight) return after[served_[s][heavier_[s]]];
    return std::min(after[served_[s][0]], after[served_[s][1]]);
  }
  /// to[s] = E[from[s and the cell of this input]].
  void arrive(const std::vector<double>& from, std::vector<double>& to, std::size_t input) const {
    const std::array<std::size_t, 4> step{side_ * side_ * side_, side_ * side_, side_, 1};
    const std::size_t own = input == 0 ? 0 : 3, other = input == 0 ? 1 : 2;
    for (std::size_t s = 0; s < from.size(); ++s) {
      const std::size_t q_own = s / step[own] % side_, q_other = s / step[other] % side_;
      const double to_own = from[q_own < cap_ ? s + step[own] : s];
      const double to_other = from[q_other < cap_ ? s + step[other] : s];
      to[s] = (1 - load_) * from[s] + load_ * (straight_ * to_own + (1 - straight_) * to_other);
    }
  }

  std::size_t cap_, side_;
  double load_, straight_;
  std::vector<double> cost_;
  std::vector<std::array<std::size_t, 2>> served_;  // state after each matching
  std::vector<std::size_t> heavier_;                // the one of the larger weight
};

}  // namespace park::test
