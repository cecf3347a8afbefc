#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace park::device_placement {

/// Bounds that graphs of files and of generators keep, and with them the bounds of the observation.
inline constexpr std::int64_t kMaxNodes = 50'000, kMaxEdges = 500'000;
inline constexpr double kMaxSeconds = 1e3;  ///< of an operation on a device of speed 1
inline constexpr double kMaxBytes = 1e12;   ///< of a tensor, or of the parameters of an operation

/// A number of an operation or a device as an index.
[[nodiscard]] constexpr std::size_t at(std::int32_t i) noexcept {
  return static_cast<std::size_t>(i);
}

/// A tensor that one operation makes and another needs.
struct Edge {
  std::int32_t from = 0, to = 0;
  /// Edges of an operation with the same number carry the same tensor: it is sent to a device once.
  std::int32_t tensor = 0;
  double bytes = 0;
};

/// The operations of a neural network, in topological order. Plain arrays that keep their memory,
/// so that a graph may be made anew for each episode.
struct Graph {
  std::vector<double> work_s;           ///< seconds on a device of speed 1
  std::vector<double> output_bytes;     ///< what it keeps in memory
  std::vector<double> parameter_bytes;  ///< of its parameters, also where it shares them
  /// The first operation with the same parameters: itself where it shares none. Parameters count
  /// once on each device.
  std::vector<std::int32_t> owner;
  std::vector<Edge> edges;  ///< by `from`, then by their order; from < to

  [[nodiscard]] std::size_t size() const noexcept { return work_s.size(); }
  void clear() noexcept;
  /// Adds an operation and returns its number. `own` < 0: it shares its parameters with none.
  std::int32_t add(double seconds, double output, double parameters = 0, std::int32_t own = -1);
  void connect(std::int32_t from, std::int32_t to, double bytes, std::int32_t tensor = 0);
  /// Puts the edges into their order; stable.
  void sort_edges();
};

/// Adds the backward pass. Every operation i of n gets a gradient, operation 2 n - 1 - i, which
/// takes twice as long and has the same parameters. It needs the output of i, and the gradients of
/// all that use that output. Gradients of different inputs are tensors of their own.
void add_training(Graph&);

/// Fuses chains: an operation joins the one before it where that has no other successor and itself
/// no other predecessor. A fused operation keeps the outputs of all its parts in memory. Parameters
/// that others share are never fused away.
void fuse_chains(Graph&);

/// Seconds of all operations on a device of speed 1, and of the longest path, without transfers.
[[nodiscard]] double total_s(const Graph&) noexcept;
[[nodiscard]] double critical_path_s(const Graph&, std::vector<double>& scratch);
/// Bytes of all outputs, and of all parameters once each.
[[nodiscard]] double total_bytes(const Graph&) noexcept;

/// Operations on the longest path from a source to each, and from each to a sink; both from 0.
void depths(const Graph&, std::vector<std::int32_t>& depth, std::vector<std::int32_t>& height);

}  // namespace park::device_placement
