#include "cli/allocations.h"

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace park::cli {
namespace {

thread_local std::int64_t bytes_of_thread = 0;

void* counted(void* p) noexcept {
  if (p != nullptr) bytes_of_thread += static_cast<std::int64_t>(malloc_usable_size(p));
  return p;
}

void* allocate_or_null(std::size_t bytes) noexcept { return counted(std::malloc(bytes)); }

void* allocate_or_null(std::size_t bytes, std::align_val_t a) noexcept {
  const auto alignment = static_cast<std::size_t>(a);
  return counted(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
}

/// As the standard has it: a handler may make room, and without one it throws.
template <class... Alignment>
void* allocate(std::size_t bytes, Alignment... alignment) {
  for (;;) {
    void* const p = allocate_or_null(bytes == 0 ? 1 : bytes, alignment...);
    if (p != nullptr) return p;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void release(void* p) noexcept {
  if (p != nullptr) bytes_of_thread -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

std::int64_t allocated_by_thread() noexcept { return bytes_of_thread; }

}  // namespace park::cli

void* operator new(std::size_t bytes) { return park::cli::allocate(bytes); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, std::align_val_t a) { return park::cli::allocate(bytes, a); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return operator new(bytes, a); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return park::cli::allocate_or_null(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& t) noexcept {
  return operator new(bytes, t);
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return park::cli::allocate_or_null(bytes == 0 ? 1 : bytes, a);
}
void* operator new[](std::size_t bytes, std::align_val_t a, const std::nothrow_t& t) noexcept {
  return operator new(bytes, a, t);
}
void operator delete(void* p, const std::nothrow_t&) noexcept { park::cli::release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { park::cli::release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  park::cli::release(p);
}
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  park::cli::release(p);
}
void operator delete(void* p) noexcept { park::cli::release(p); }
void operator delete[](void* p) noexcept { park::cli::release(p); }
void operator delete(void* p, std::size_t) noexcept { park::cli::release(p); }
void operator delete[](void* p, std::size_t) noexcept { park::cli::release(p); }
void operator delete(void* p, std::align_val_t) noexcept { park::cli::release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { park::cli::release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { park::cli::release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { park::cli::release(p); }
