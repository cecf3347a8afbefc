#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/core/batch.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::check {

/// A spec that departs from another one in one respect.
struct ChangedSpec {
  std::string name;  ///< of the leaf or the group that is changed
  std::string how;   ///< "is one wider"
  Spec spec;
};
/// What a peer may send in place of a spec. For each leaf and group there is one without it. Others
/// have it with another width, type, group, reference, bounds, place, name or capacity. Some
/// contradict themselves, which validate finds.
[[nodiscard]] std::vector<ChangedSpec> changed_specs(const Spec&);

/// From where the values of a drawn row come.
enum class Draw {
  lowest,   ///< the lower bounds; groups without elements
  highest,  ///< the upper bounds; groups of 8 elements, or of their capacity
  random,   ///< between the bounds
  beyond,   ///< outside of the bounds, or no numbers; indices of elements that are missing
};
/// Writes the last row of a batch: counts, and the values of every leaf.
void draw_row(Row, Draw, Rng&);
/// Writes the values of one leaf, for the elements that the row has.
void draw_leaf(Row, std::size_t leaf, Draw, Rng&);

}  // namespace park::check
