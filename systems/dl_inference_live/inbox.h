#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "park/core/system_env.h"

namespace park::inference {

/// A request on its way to the device.
struct Waiting {
  std::vector<std::byte> route{};  ///< of its client
  std::uint64_t id = 0;
  std::size_t model = 0;
  std::vector<float> sample{};  ///< empty: the server's own
  Deadline at{};                ///< when it came
};

/// Requests from the socket's thread to the device's. It counts those in the server, from here
/// until `left` is told of their reply, and takes no more than its limit.
class Inbox {
 public:
  explicit Inbox(std::size_t most) : most_(most) {}

  /// False: the server has as many as it may have.
  [[nodiscard]] bool push(Waiting&& request) {
    {
      const std::lock_guard lock(mutex_);
      if (inside_ == most_) return false;
      ++inside_;
      waiting_.push_back(std::move(request));
    }
    came_.notify_one();
    return true;
  }
  /// The replies to so many requests were sent.
  void left(std::size_t requests) {
    const std::lock_guard lock(mutex_);
    inside_ -= requests;
  }
  /// Replaces `into` by what is there, after it came, the deadline passed or a stop was requested.
  void take(std::vector<Waiting>& into, Deadline until, const std::stop_token& stop) {
    into.clear();
    std::unique_lock lock(mutex_);
    came_.wait_until(lock, stop, until, [&] { return !waiting_.empty(); });
    into.swap(waiting_);
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::vector<Waiting> waiting_;
  std::size_t inside_ = 0;
};

}  // namespace park::inference
