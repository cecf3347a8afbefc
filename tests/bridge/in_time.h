#pragma once

#include <chrono>
#include <utility>

namespace park::bridge::test {

/// Whether it is so in one of some attempts. A busy machine is late now and then, and code that
/// waits for too long is late each time.
template <class Function>
bool in_time(Function&& is_so) {
  constexpr int kAttempts = 3;
  for (int i = 0; i < kAttempts; ++i)
    if (is_so()) return true;
  return false;
}

/// Whether a call takes no longer than that.
template <class Function>
bool within(std::chrono::milliseconds most, Function&& call) {
  return in_time([&] {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::steady_clock::now() - begin <= most;
  });
}

}  // namespace park::bridge::test
