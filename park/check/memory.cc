#include "park/check/memory.h"

#include <cstdlib>
#include <utility>
// The sanitizers have a heap of their own, of which the C library knows nothing.
#if defined(__SANITIZE_ADDRESS__)
// NOLINTNEXTLINE: the name is the sanitizer's, whose header GCC does not install
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
#include <malloc.h>
#endif

namespace park::check {
namespace {

const MemoryProbe* current_probe = nullptr;

}  // namespace

const MemoryProbe* set_memory_probe(const MemoryProbe* probe) noexcept {
  return std::exchange(current_probe, probe);
}
bool counts_allocations() noexcept { return current_probe != nullptr; }

std::size_t heap_bytes() noexcept {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
#if __GLIBC_PREREQ(2, 33)
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
#else  // its numbers are of 32 bits: differences hold below 4 GiB
  const auto heap = mallinfo();
  return static_cast<unsigned>(heap.uordblks) + std::size_t{static_cast<unsigned>(heap.hblkhd)};
#endif
#else
  return 0;
#endif
}

AllocationWatch::AllocationWatch() noexcept {
  if (current_probe)
    current_probe->count(true);
  else
    bytes_before_ = heap_bytes();
}
AllocationWatch::~AllocationWatch() {
  if (current_probe) current_probe->count(false);
}
std::size_t AllocationWatch::found() const noexcept {
  if (current_probe) return current_probe->allocations();
  const std::size_t now = heap_bytes();
  return now > bytes_before_ ? now - bytes_before_ : bytes_before_ - now;
}

MemoryFill::MemoryFill(std::uint8_t pattern) noexcept {
  if (current_probe) current_probe->fill(pattern);
}
MemoryFill::~MemoryFill() {
  if (current_probe) current_probe->fill(-1);
}

}  // namespace park::check
