#pragma once

#include <cstdint>

namespace park::bridge {

/// Bytes of this process that are in memory; 0 if the system does not tell.
[[nodiscard]] std::uint64_t resident_bytes() noexcept;

/// Returns memory to the system after so many bytes were freed, where that is worth its time. The
/// allocator would keep it.
void give_back_memory(std::uint64_t freed) noexcept;

}  // namespace park::bridge
