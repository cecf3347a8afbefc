#include "bridge/server/workers.h"

#include <utility>

namespace park::bridge {

/// Guarded by the mutex of its workers.
class Workers::Strand {
 public:
  std::deque<Task> tasks;
  bool busy = false;
};

Workers::Workers(std::uint32_t threads) {
  for (std::uint32_t i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();                                           // waits for them
  for (const auto& strand : waiting_) strand->tasks.clear();  // a task may hold its own strand
}

std::shared_ptr<Workers::Strand> Workers::strand() const { return std::make_shared<Strand>(); }

void Workers::add(const std::shared_ptr<Strand>& strand, Task task) {
  const std::lock_guard lock(mutex_);
  strand->tasks.push_back(std::move(task));
  if (strand->busy || strand->tasks.size() > 1) return;
  waiting_.push_back(strand);
  ready_.notify_one();
}

bool Workers::idle(const Strand& strand) const {
  const std::lock_guard lock(mutex_);
  return !strand.busy && strand.tasks.empty();
}

void Workers::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (ready_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    if (stop.stop_requested()) return;
    const std::shared_ptr<Strand> strand = std::move(waiting_.front());
    waiting_.pop_front();
    Task task = std::move(strand->tasks.front());
    strand->tasks.pop_front();
    strand->busy = true;
    lock.unlock();
    task();
    task = nullptr;  // what it holds may be the last of a service
    lock.lock();
    strand->busy = false;
    if (strand->tasks.empty()) continue;
    waiting_.push_back(strand);
    ready_.notify_one();
  }
}

}  // namespace park::bridge
