#include "tests/fuzz/allocation_watch.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

std::size_t largest = 0;

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  largest = std::max(largest, size);
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace park::test {

std::size_t largest_allocation() noexcept { return std::exchange(largest, 0); }

}  // namespace park::test
