#pragma once

#include <span>
#include <string>
#include <vector>

#include "bridge/codec/wire.h"
#include "park/core/rng.h"
#include "tests/siege/zmtp.h"

// Messages of any schema of Cap'n Proto that are changed where their schema has fields. The changes
// are numbers at the ends of their range, floats that are no numbers, texts of a kind, and lists of
// other lengths.
namespace park::siege {

/// Changes one to four places of a message. `texts` are put where texts are.
void mutate(capnp::DynamicStruct::Builder, Rng&, std::span<const std::string> texts);
/// Fills a message from nothing.
void randomise(capnp::DynamicStruct::Builder, Rng&, std::span<const std::string> texts,
               int depth = 6);
/// Changes bytes: bits, pieces, lengths.
[[nodiscard]] Bytes damaged(Bytes, Rng&);

}  // namespace park::siege
