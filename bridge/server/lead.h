#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace park::bridge {

/// Which of two threads leads. The leader does work that is likely to be short without handing it
/// over, which would cost as much. If it takes long all the same, the other thread leads from then
/// on. What the leader alone touches needs no lock: a change of the lead synchronises.
class Lead {
 public:
  /// Work that takes as long as one to two of these is long.
  static constexpr std::chrono::milliseconds kLong{5};

  /// By the thread that leads first, before there is another one.
  void take() { leader_ = std::this_thread::get_id(); }
  /// Waits until the calling thread leads. False: a stop was requested.
  [[nodiscard]] bool wait(const std::stop_token&);
  /// Calls `work`, which touches nothing of the leader's. Whether the calling thread still leads.
  [[nodiscard]] bool keep_during(const std::function<void()>& work);

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::thread::id leader_;                // guarded by the mutex
  std::atomic<std::uint64_t> works_ = 0;  // begun and ended ones: odd while there is one
  std::atomic<bool> asleep_ = false;      // nobody looks how long work takes
};

}  // namespace park::bridge
