#pragma once

#include <cstdint>

namespace park::cli {

/// Bytes that the calling thread has allocated by operator new and not freed, as
/// park::set_thread_bytes takes it. `park` replaces operator new for that: a server tells what the
/// environments of a session take, which the allocator does not.
[[nodiscard]] std::int64_t allocated_by_thread() noexcept;

}  // namespace park::cli
