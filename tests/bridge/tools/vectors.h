#pragma once

#include <map>
#include <string>

#include "bridge/session/session_table.h"

namespace park::bridge::test {

/// The second frames of docs/conformance.md's vectors, by their names: what a server sends.
[[nodiscard]] std::map<std::string, Bytes> vectors();

/// What a client sends.
[[nodiscard]] std::map<std::string, Bytes> request_vectors();

/// The lines of `conformance decode` for vectors, in the order of their names.
[[nodiscard]] std::string expected_lines(const std::map<std::string, Bytes>&);

}  // namespace park::bridge::test
