#pragma once

#include <span>
#include <string>

#include "bridge/codec/frame.h"

namespace park::bridge::test {

/// What a server's message says, as docs/conformance.md has it: JSON, or "reject".
[[nodiscard]] std::string message_json(std::span<const std::byte> envelope);

/// A code's name in the schema, such as illegalAction; empty for a value that it does not have.
[[nodiscard]] std::string name_of(Code);

}  // namespace park::bridge::test
