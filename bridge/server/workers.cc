#include "bridge/server/workers.h"

#include <utility>

namespace park::bridge {

Workers::Workers(std::uint32_t threads) {
  for (std::uint32_t i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // waits for them
  while (first_) static_cast<void>(pop());
}

void Workers::add(std::shared_ptr<Strand> strand) {
  const std::lock_guard lock(mutex_);
  if (strand->pieces_++ == 0) push(std::move(strand));
}

bool Workers::idle(const Strand& strand) const {
  const std::lock_guard lock(mutex_);
  return strand.pieces_ == 0;
}

void Workers::push(std::shared_ptr<Strand> strand) {
  Strand* const last = strand.get();
  (first_ ? last_->next_ : first_) = std::move(strand);
  last_ = last;
  ready_.notify_one();
}

std::shared_ptr<Workers::Strand> Workers::pop() {
  std::shared_ptr<Strand> strand = std::move(first_);
  first_ = std::move(strand->next_);
  return strand;
}

void Workers::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (ready_.wait(lock, stop, [this] { return first_ != nullptr; })) {
    if (stop.stop_requested()) return;
    std::shared_ptr<Strand> strand = pop();
    lock.unlock();
    strand->work();
    lock.lock();
    if (--strand->pieces_ > 0) {
      push(std::move(strand));
      continue;
    }
    lock.unlock();
    strand.reset();  // it may be the last of a service
    lock.lock();
  }
}

}  // namespace park::bridge
