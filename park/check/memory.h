#pragma once

#include <cstddef>
#include <cstdint>

namespace park::check {

/// What a program that replaces operator new tells about memory. A library must not replace it.
/// Without a probe the properties of memory compare the size of the heap, and new memory is left as
/// it is.
struct MemoryProbe {
  void (*count)(bool on);        ///< begins to count from 0, or ends
  std::size_t (*allocations)();  ///< of all threads, while it counts
  void (*fill)(int pattern);     ///< new memory gets this byte; -1: it is left as it is
};
/// The probe must outlive every check; nullptr: none. Returns the one before. Not thread-safe.
const MemoryProbe* set_memory_probe(const MemoryProbe*) noexcept;
[[nodiscard]] bool counts_allocations() noexcept;

/// Bytes that this process has allocated and not freed; 0 if the C library does not tell.
[[nodiscard]] std::size_t heap_bytes() noexcept;

/// Watches allocations while it lives. One at a time.
class AllocationWatch {
 public:
  AllocationWatch() noexcept;
  ~AllocationWatch();
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;
  /// With a probe the number of allocations, else the bytes by which the heap has changed.
  [[nodiscard]] std::size_t found() const noexcept;

 private:
  std::size_t bytes_before_ = 0;
};

/// While it lives, new memory has this byte wherever there is a probe. One at a time.
class MemoryFill {
 public:
  explicit MemoryFill(std::uint8_t) noexcept;
  ~MemoryFill();
  MemoryFill(const MemoryFill&) = delete;
  MemoryFill& operator=(const MemoryFill&) = delete;
};

}  // namespace park::check
