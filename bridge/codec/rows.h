#pragma once

#include <cstddef>

#include "bridge/schema/park.capnp.h"
#include "park/core/batch.h"

namespace park::bridge {

/// Writes all rows of a batch.
void write(const Batch&, wire::Rows::Builder);

/// Replaces the rows of a batch by those of a message, at most `most_rows`. Throws
/// Failed{malformed} or {tooMuch} in one line that names the group or leaf: counts beyond a group's
/// capacity, columns of another size, numbers outside of their leaf's bounds (NaN is outside), and
/// indices of elements that are not there. `elements` has the groups that index leaves point into:
/// for actions the observation that they answer, for observations the batch itself.
void read(wire::Rows::Reader, std::size_t most_rows, Batch& into, const Batch& elements);

}  // namespace park::bridge
