// Bytes of their own, of what lasts only until the next message.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace park::bridge::test {

using Bytes = std::vector<std::byte>;

inline Bytes copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace park::bridge::test
