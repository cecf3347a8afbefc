// A copy of what a writer finished, in memory of its own.
#pragma once

#include <cstddef>
#include <span>

#include "bridge/session/session_table.h"

namespace park::bridge::test {

inline Bytes copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace park::bridge::test
