#pragma once

#include <cstddef>

#include "bridge/codec/wire.h"
#include "park/core/action_space.h"
#include "park/core/batch.h"

namespace park::bridge {

/// Writes all rows of a batch. Throws Failed{tooMuch} if a column is too long for Cap'n Proto.
void write(const Batch&, wire::Rows::Builder);

/// Replaces the rows of a batch by those of a message, at most `most_rows`. Throws
/// Failed{malformed} or {tooMuch} in one line that names the group or leaf: counts beyond a group's
/// capacity, columns of another size. Nothing is allocated before these are checked, so rows take
/// no more memory than their message. Without rows the lists may be empty. Any values pass:
/// whether an action is legal is for ActionSpace to say.
void read(wire::Rows::Reader, std::size_t most_rows, Batch& into);

/// Throws Failed{malformed} if an observation has numbers outside of their leaf's bounds (NaN is
/// outside) or indices of missing elements. The one line names the leaf.
void check_values(const Batch& observation);

/// Throws Failed{malformed} if a row of an observation, whose values were checked, leaves a head of
/// the action without a legal value. The one line names the head and the row.
void check_choices(const ActionSpace&, const Batch& observation, const Record& action);

}  // namespace park::bridge
