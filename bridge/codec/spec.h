#pragma once

#include "bridge/codec/wire.h"
#include "park/core/space.h"

namespace park::bridge {

void write(const Spec&, wire::Spec::Builder);

/// Throws Failed{malformed} with one line per contradiction, as validate(Spec) does; a leaf with
/// which a row is too large is one. It also throws if the layout's hash is not that of the leaves:
/// then the sides define layouts differently. Throws Failed{tooMuch} in one line beyond the limits
/// of docs/protocol.md: leaves, heads, dimensions, names, and bytes of texts.
[[nodiscard]] Spec read(wire::Spec::Reader);

}  // namespace park::bridge
