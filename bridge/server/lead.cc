#include "bridge/server/lead.h"

namespace park::bridge {
namespace {

constexpr int kQuietLooks = 200;  // without work: then the thread that does not lead sleeps

}  // namespace

bool Lead::wait(const std::stop_token& stop) {
  const auto me = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  std::uint64_t seen = works_;
  for (int quiet = 0; leader_ != me && !stop.stop_requested();) {
    if (quiet < kQuietLooks) {
      changed_.wait_for(lock, stop, kLong, [] { return false; });
    } else {
      asleep_ = true;  // before it looks at works_, as keep_during does it the other way round
      changed_.wait(lock, stop, [&] { return works_ != seen; });
      asleep_ = false;
    }
    const std::uint64_t now = works_;
    const bool same = now == seen;
    if (same && now % 2 == 1) leader_ = me;
    quiet = same ? quiet + 1 : 0;
    seen = now;
  }
  return !stop.stop_requested();
}

bool Lead::keep_during(const std::function<void()>& work) {
  ++works_;
  if (asleep_) {
    const std::lock_guard lock(mutex_);  // else it may not wait yet
    changed_.notify_one();
  }
  work();
  const std::lock_guard lock(mutex_);
  ++works_;
  return leader_ == std::this_thread::get_id();
}

}  // namespace park::bridge
