#pragma once

#include <string>

#include "park/core/space.h"
#include "park/trees/tree_file.h"

namespace park::trees {

/// A file of trees as C++20: one header that needs the standard library alone, with the namespace
/// trees_of_ENV. `Row` has a span for each leaf that the trees read; `visit` names them. A function
/// decide_HEAD(row, candidates, given) returns the value that TreePolicy chooses. There
/// `candidates` are the legal values, and `given` is the element that the head's path begins with.
/// Components of a continuous head have functions number_HEAD_K. The computations are those of
/// Features, so that choices are equal where the compiler keeps to IEEE 754. Throws as TreePolicy.
[[nodiscard]] std::string export_cpp(const TreeFile&, const std::string& name, const Spec&);

/// As a JSON object with the members of the grammar.
[[nodiscard]] std::string export_json(const TreeFile&);

/// As a graph of Graphviz, a cluster per level.
[[nodiscard]] std::string export_dot(const TreeFile&);

}  // namespace park::trees
