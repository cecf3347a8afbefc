#include "park/core/thread_bytes.h"

#include <atomic>

namespace park {
namespace {

// operator new is one for the whole process.
std::atomic<ThreadBytes> g_thread_bytes{nullptr};

}  // namespace

ThreadBytes set_thread_bytes(ThreadBytes tells) noexcept { return g_thread_bytes.exchange(tells); }

std::int64_t thread_bytes() noexcept {
  const ThreadBytes tells = g_thread_bytes.load(std::memory_order_relaxed);
  return tells == nullptr ? 0 : tells();
}

bool knows_thread_bytes() noexcept { return g_thread_bytes.load() != nullptr; }

}  // namespace park
