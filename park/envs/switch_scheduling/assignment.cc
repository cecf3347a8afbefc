#include "park/envs/switch_scheduling/assignment.h"

#include <algorithm>
#include <limits>

namespace park::switch_scheduling {

std::span<const std::int32_t> Assignment::solve(std::span<const float> weight, std::size_t n) {
  n_ = n;
  begin(weight);
  for (std::size_t i = 0; i < n; ++i)
    if (output_of_[i] < 0) augment(weight, i);
  for (std::size_t i = 0; i < n; ++i)
    if (!(weight[i * n + static_cast<std::size_t>(output_of_[i])] > 0)) output_of_[i] = -1;
  return {output_of_.data(), n};
}

/// Duals from the largest weights of the inputs; pairs that are tight then are taken.
void Assignment::begin(std::span<const float> weight) {
  u_.resize(n_);
  v_.assign(n_, 0);
  output_of_.assign(n_, -1);
  input_of_.assign(n_, -1);
  slack_.resize(n_);
  from_.resize(n_);
  reached_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    const float* row = weight.data() + i * n_;
    const float largest = *std::max_element(row, row + n_);
    u_[i] = static_cast<double>(largest);
    for (std::size_t j = 0; j < n_ && output_of_[i] < 0; ++j)
      if (input_of_[j] < 0 && row[j] == largest) {
        output_of_[i] = static_cast<std::int32_t>(j);
        input_of_[j] = static_cast<std::int32_t>(i);
      }
  }
}

/// Matches one more input along the shortest path to a free output.
void Assignment::augment(std::span<const float> weight, std::size_t input) {
  std::size_t j = grow_tree(weight, input);
  const double length = slack_[j];
  u_[input] -= length;
  for (const std::int32_t t : tree_) {
    const auto k = static_cast<std::size_t>(t);
    v_[k] += length - slack_[k];
    u_[static_cast<std::size_t>(input_of_[k])] -= length - slack_[k];
  }
  for (;;) {
    const auto i = static_cast<std::size_t>(from_[j]);
    const std::int32_t next = output_of_[i];
    output_of_[i] = static_cast<std::int32_t>(j);
    input_of_[j] = static_cast<std::int32_t>(i);
    if (i == input) return;
    j = static_cast<std::size_t>(next);
  }
}

/// Dijkstra's search over outputs. Returns the free one that is nearest; tree_ has those before it.
std::size_t Assignment::grow_tree(std::span<const float> weight, std::size_t input) {
  std::fill_n(slack_.begin(), n_, std::numeric_limits<double>::infinity());
  std::fill_n(reached_.begin(), n_, std::uint8_t{0});
  tree_.clear();
  double length = 0;
  for (std::size_t i = input;;) {
    std::size_t nearest = n_;
    const double base = length + u_[i];
    for (std::size_t j = 0; j < n_; ++j) {
      if (reached_[j]) continue;
      const double slack = base + v_[j] - static_cast<double>(weight[i * n_ + j]);
      if (slack < slack_[j]) {
        slack_[j] = slack;
        from_[j] = static_cast<std::int32_t>(i);
      }
      if (nearest == n_ || slack_[j] < slack_[nearest]) nearest = j;
    }
    if (input_of_[nearest] < 0) return nearest;
    length = slack_[nearest];
    reached_[nearest] = 1;
    tree_.push_back(static_cast<std::int32_t>(nearest));
    i = static_cast<std::size_t>(input_of_[nearest]);
  }
}

}  // namespace park::switch_scheduling
