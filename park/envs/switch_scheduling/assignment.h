#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace park::switch_scheduling {

/// Maximum-weight matching of a bipartite graph with n inputs and n outputs, O(n^3): the Hungarian
/// method with shortest augmenting paths. R. Jonker, A. Volgenant, "A shortest augmenting path
/// algorithm for dense and sparse linear assignment problems", Computing 38, 1987.
/// The result follows from the weights alone. Weights that are all multiplied by one power of two
/// give the same matching, ties included: sums of doubles then scale exactly.
class Assignment {
 public:
  /// weight[input * n + output] >= 0, finite; 0 is no edge. Returns the output of each input, or
  /// -1, until the next call. REQUIRES weight.size() == n * n.
  std::span<const std::int32_t> solve(std::span<const float> weight, std::size_t n);

 private:
  void begin(std::span<const float> weight);
  void augment(std::span<const float> weight, std::size_t input);
  std::size_t grow_tree(std::span<const float> weight, std::size_t input);

  std::size_t n_ = 0;
  // Dual variables: u + v >= weight, with equality on matched pairs.
  std::vector<double> u_, v_;
  std::vector<std::int32_t> output_of_, input_of_;
  // The tree of shortest paths from one input.
  std::vector<double> slack_;          // of each output
  std::vector<std::int32_t> from_;     // input before each output
  std::vector<std::uint8_t> reached_;  // outputs in the tree
  std::vector<std::int32_t> tree_;     // the same, in the order of reaching
};

}  // namespace park::switch_scheduling
