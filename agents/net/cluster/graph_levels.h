#pragma once

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace park::agents {

/// An index of a tensor as one of memory.
[[nodiscard]] inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The dependencies of the nodes of many graphs without cycles, in the order in which messages go
/// from children to parents. The height of a node is the longest way down to one without children.
struct GraphLevels final : torch::CustomClassHolder {
  std::vector<std::int64_t> offsets;  ///< [N + 1] node v has the children offsets[v] ..
  std::vector<std::int64_t> child;    ///< [edges]
  std::vector<std::int64_t> height;   ///< [N]
  std::vector<std::uint8_t> sends;    ///< [N] it has a parent
  std::vector<std::int64_t> order;    ///< [N] children before parents
  std::vector<std::int64_t> runs;     ///< begins of runs of equal height in `order`, and N

  [[nodiscard]] std::int64_t nodes() const noexcept {
    return static_cast<std::int64_t>(height.size());
  }
};
using GraphLevelsPtr = c10::intrusive_ptr<GraphLevels>;

/// Edges of B graphs, graph by graph. Graph b has the nodes nodes[b] .. nodes[b + 1] - 1 and the
/// edges edges[b] .. edges[b + 1] - 1, whose ends count within the graph.
struct GraphEdges {
  std::span<const std::int64_t> nodes, edges;       // [B + 1]
  std::span<const std::int32_t> parents, children;  // [edges of all graphs]
};
[[nodiscard]] GraphLevelsPtr make_levels(const GraphEdges&);

}  // namespace park::agents
