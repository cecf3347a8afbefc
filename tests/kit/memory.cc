#include "tests/kit/memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace park::test {
namespace {

std::atomic<bool> counting = false;
std::atomic<std::size_t> allocations = 0;
std::atomic<int> pattern = -1;  // -1: memory is left as it is

thread_local std::int64_t of_thread = 0;

void* allocate_or_null(std::size_t bytes, std::size_t alignment) noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, size == 0 ? alignment : size);
  if (p == nullptr) return nullptr;
  of_thread += static_cast<std::int64_t>(malloc_usable_size(p));
  if (const int fill = pattern.load(std::memory_order_relaxed); fill >= 0)
    std::memset(p, fill, bytes);
  return p;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const p = allocate_or_null(bytes, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void release(void* p) noexcept {
  if (p != nullptr) of_thread -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

std::int64_t allocated_by_thread() noexcept { return of_thread; }

AllocationCount::AllocationCount() noexcept {
  allocations = 0;
  counting = true;
}
AllocationCount::~AllocationCount() { counting = false; }
std::size_t AllocationCount::count() const noexcept { return allocations; }

MemoryPattern::MemoryPattern(std::uint8_t fill) noexcept { pattern = fill; }
MemoryPattern::~MemoryPattern() { pattern = -1; }

}  // namespace park::test

void* operator new(std::size_t bytes) {
  return park::test::allocate(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return park::test::allocate(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) { return operator new(bytes, a); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return park::test::allocate_or_null(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes, const std::nothrow_t& n) noexcept {
  return operator new(bytes, n);
}
void operator delete(void* p, const std::nothrow_t&) noexcept { park::test::release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { park::test::release(p); }
void operator delete(void* p) noexcept { park::test::release(p); }
void operator delete[](void* p) noexcept { park::test::release(p); }
void operator delete(void* p, std::size_t) noexcept { park::test::release(p); }
void operator delete[](void* p, std::size_t) noexcept { park::test::release(p); }
void operator delete(void* p, std::align_val_t) noexcept { park::test::release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { park::test::release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { park::test::release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { park::test::release(p); }
