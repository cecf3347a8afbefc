#pragma once

#include <cstddef>

namespace park::test {

/// The largest single `operator new` since the last call, in bytes. One thread only.
std::size_t largest_allocation() noexcept;

}  // namespace park::test
