#pragma once

#include "bridge/codec/wire.h"
#include "park/core/space.h"

namespace park::bridge {

void write(const Spec&, wire::Spec::Builder);

/// Throws Failed{malformed} with one line per contradiction, as validate(Spec) does, or where the
/// layout's hash is not that of the leaves: then the sides disagree about what a layout is.
[[nodiscard]] Spec read(wire::Spec::Reader);

}  // namespace park::bridge
