#pragma once

#include <cstdint>

namespace park {

/// Tells the bytes that the calling thread has allocated by operator new and not freed; below 0
/// where it has freed what other threads allocated.
using ThreadBytes = std::int64_t (*)() noexcept;

/// For a program that replaces operator new and counts, as `park` does; a library must not replace
/// it. nullptr: nothing tells. Before other threads are there. Returns the one before.
ThreadBytes set_thread_bytes(ThreadBytes) noexcept;
/// What it tells; 0 where nothing does.
[[nodiscard]] std::int64_t thread_bytes() noexcept;
[[nodiscard]] bool knows_thread_bytes() noexcept;

}  // namespace park
