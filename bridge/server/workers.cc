#include "bridge/server/workers.h"

#include <algorithm>
#include <utility>

namespace park::bridge {

Workers::Workers(std::uint32_t threads) {
  for (std::uint32_t i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // waits for them
  waiting_.clear();
}

void Workers::add(std::shared_ptr<Strand> strand) {
  const std::lock_guard lock(mutex_);
  if (strand->pieces_++ > 0) return;
  strand->used_ = std::max(strand->used_, served_);
  push(std::move(strand));
}

bool Workers::idle(const Strand& strand) const {
  const std::lock_guard lock(mutex_);
  return strand.pieces_ == 0;
}

void Workers::begin(Strand& strand) {
  const std::lock_guard lock(mutex_);
  ++strand.pieces_;
}

void Workers::end(std::shared_ptr<Strand> strand, std::chrono::nanoseconds used) {
  const std::lock_guard lock(mutex_);
  strand->used_ = std::max(strand->used_, served_) + used;
  if (--strand->pieces_ > 0) push(std::move(strand));
}

bool Workers::later(const std::shared_ptr<Strand>& a, const std::shared_ptr<Strand>& b) noexcept {
  return a->used_ != b->used_ ? a->used_ > b->used_ : a->turn_ > b->turn_;
}

void Workers::push(std::shared_ptr<Strand> strand) {
  strand->turn_ = ++turns_;
  waiting_.push_back(std::move(strand));
  std::ranges::push_heap(waiting_, &later);
  ready_.notify_one();
}

std::shared_ptr<Workers::Strand> Workers::pop() {
  std::ranges::pop_heap(waiting_, &later);
  std::shared_ptr<Strand> strand = std::move(waiting_.back());
  waiting_.pop_back();
  served_ = std::max(served_, strand->used_);
  return strand;
}

void Workers::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (ready_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    if (stop.stop_requested()) return;
    std::shared_ptr<Strand> strand = pop();
    lock.unlock();
    const std::chrono::nanoseconds used = strand->work();
    lock.lock();
    strand->used_ += used;
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
