#pragma once

#include <cstddef>
#include <cstdint>

namespace park::test {

/// The test program replaces operator new.

/// Counts allocations of all threads while it lives. One at a time.
class AllocationCount {
 public:
  AllocationCount() noexcept;
  ~AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;
  [[nodiscard]] std::size_t count() const noexcept;
};

/// Bytes that the calling thread has allocated and not freed, for park::set_thread_bytes.
[[nodiscard]] std::int64_t allocated_by_thread() noexcept;

/// While it lives, new memory is filled with the pattern. One at a time.
class MemoryPattern {
 public:
  explicit MemoryPattern(std::uint8_t) noexcept;
  ~MemoryPattern();
  MemoryPattern(const MemoryPattern&) = delete;
  MemoryPattern& operator=(const MemoryPattern&) = delete;
};

}  // namespace park::test
