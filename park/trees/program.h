// The compiled form of a list of features: nodes in the order of their computation. `compile` reads
// the names of expressions by a spec, and Features (features.h) computes the nodes of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/trees/expression.h"
#include "park/trees/routes.h"

namespace park::trees {

/// A level of a head's decision, and whose items it compares.
struct Level {
  enum class Kind : std::uint8_t {
    candidates,  ///< the legal values of an index or a categorical head
    linked,      ///< elements of another group that the candidates of an index head lead to
    situation    ///< one item: the row, with the elements that the head's path `given` passes
  };
  std::size_t head = 0;
  Kind kind = Kind::candidates;
  std::string group{};  ///< linked: which group

  bool operator==(const Level&) const = default;
};

/// A derived feature: a name for an expression. Later ones may use earlier ones.
struct Derived {
  std::string name;
  Expression value;

  bool operator==(const Derived&) const = default;
};

/// One number of every item, or of every candidate of a linked level.
struct Node {
  enum class Kind : std::uint8_t {
    number,           ///< `number`
    row,              ///< an entry of a leaf of the row
    own_entry,        ///< the entry of a leaf of the row that belongs to the candidate
    element,          ///< an entry of a leaf of an element on `route`
    element_entry,    ///< the candidate's entry of such a leaf
    row_sum,          ///< the sum of the entries of a leaf of the row
    count,            ///< elements of `group`
    linked_count,     ///< elements on `route`, each counted once
    candidate_count,  ///< legal values
    value,            ///< the candidate
    largest,          ///< of args[0] over the candidates of the item
    least,            ///< of args[0] over the items
    rank,             ///< of args[0] among the items
    rank_in,          ///< the same among items with the same element on `route`
    operation         ///< `operation` of args
  };
  Kind kind = Kind::number;
  bool of_candidates = false;
  Expression::Kind operation = Expression::Kind::number;
  double number = 0;
  DType dtype = DType::f32;
  Field<float> leaf{};  ///< of a leaf of any type: its place
  std::uint32_t entry = 0;
  std::int32_t route = -1;
  GroupId group{};
  std::vector<std::size_t> args{};
};

struct Program {
  Level level;
  std::vector<Node> nodes;
  std::vector<std::size_t> outputs;  ///< the node of each feature
  Routes from_candidates;            ///< also of the situation
  Routes from_items;                 ///< linked: begins at the level's group
  std::int32_t link = -1;            ///< linked: the route from candidates to items
};

/// Throws Error{invalid_space} in one line if a derived feature has the name of a leaf or of an
/// earlier one. Throws it too if the feature speaks of what is neither a leaf, nor a group, nor an
/// earlier feature.
void check_names(const Spec&, const Derived&, const std::vector<Derived>& earlier);

/// `derived` must have passed check_names. Throws Error{invalid_space} in one line that says which name has no meaning at that level.
[[nodiscard]] Program compile(const Spec&, const Heads&, const Level&,
                              const std::vector<Expression>&, const std::vector<Derived>&);

}  // namespace park::trees
