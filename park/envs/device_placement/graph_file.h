#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "park/envs/device_placement/graph.h"

namespace park::device_placement {

/// Reads the JSON text of a graph; `name` stands for its file in messages. An object has `schema`
/// "park.graph", `version` 1 and `nodes`, a list in any order. A node has `name`, `work_s` (seconds
/// on a device of speed 1), `output_bytes` and `inputs` (names of nodes). It may have `parameters`
/// (a name that nodes may share) with `parameter_bytes`. Other members, such as `operation`,
/// `shape` and `flops`, are for people.
///
/// Throws Error{bad_file} in one line that names the node, the member and what is allowed. It does
/// so where the text is no such object, a number is not in its range, or a name occurs twice. Other
/// violations are an unknown input, a cycle of the graph, and two nodes that share parameters of
/// different sizes.
[[nodiscard]] Graph parse_graph(std::string_view text, const std::string& name);

/// The graph of a file. Files that are open already, and have not changed, are shared within the
/// process. Throws Error{io} if the file cannot be read, and what parse_graph throws.
[[nodiscard]] std::shared_ptr<const Graph> open_graph(const std::string& path);

}  // namespace park::device_placement
