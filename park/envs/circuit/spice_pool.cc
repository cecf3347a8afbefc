#include "park/envs/circuit/spice_pool.h"

#include <algorithm>
#include <thread>

namespace park::circuit {

/// A process while somebody uses it.
class SpicePool::Lease {
 public:
  explicit Lease(SpicePool& pool) : pool_(pool), number_(pool.take()) {}
  ~Lease() { pool_.give_back(number_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  SpiceProcess* operator->() const noexcept { return pool_.all_[number_].get(); }

 private:
  SpicePool& pool_;
  std::size_t number_;
};

SpicePool::SpicePool(std::size_t most) {
  // The one that was used last is taken next: fewer processes than `most` may ever start.
  for (std::size_t i = 0; i < most; ++i) {
    all_.push_back(std::make_unique<SpiceProcess>());
    free_.push_back(most - 1 - i);
  }
}

SpicePool& SpicePool::shared() {
  static SpicePool pool(std::max(1u, std::thread::hardware_concurrency()));
  return pool;
}

std::size_t SpicePool::take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !free_.empty(); });
  const std::size_t number = free_.back();
  free_.pop_back();
  return number;
}

void SpicePool::give_back(std::size_t number) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    free_.push_back(number);
  }
  freed_.notify_one();
}

void SpicePool::require() {
  const Lease process(*this);
  process->start();
}

void SpicePool::run(const std::string& request, std::chrono::duration<double> deadline,
                    SpiceReply& reply) {
  const Lease process(*this);
  process->run(request, deadline, reply);
  // The process may have been ended from outside, or the machine was busy.
  if (reply.failure == Failure::crashed || reply.failure == Failure::deadline)
    process->run(request, deadline, reply);
}

}  // namespace park::circuit
