#include "bridge/server/workers.h"

#include <algorithm>
#include <utility>

namespace park::bridge {

Workers::Workers(std::uint32_t threads) : most_long_(threads) {
  for (std::uint32_t i = 0; i < threads + 1; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // waits for them
  brief_.clear();
  long_.clear();
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
  auto& waiting = strand->brief() ? brief_ : long_;
  waiting.push_back(std::move(strand));
  std::ranges::push_heap(waiting, &later);
  ready_.notify_one();
}

std::vector<std::shared_ptr<Workers::Strand>>& Workers::next() {
  if (long_.empty() || long_now_ == most_long_) return brief_;
  return brief_.empty() || later(brief_.front(), long_.front()) ? long_ : brief_;
}

std::shared_ptr<Workers::Strand> Workers::pop(std::vector<std::shared_ptr<Strand>>& waiting) {
  std::ranges::pop_heap(waiting, &later);
  std::shared_ptr<Strand> strand = std::move(waiting.back());
  waiting.pop_back();
  return strand;
}

void Workers::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (ready_.wait(lock, stop, [this] { return !next().empty(); })) {
    if (stop.stop_requested()) return;
    auto& waiting = next();
    const std::uint32_t long_ones = &waiting == &long_ ? 1 : 0;
    std::shared_ptr<Strand> strand = pop(waiting);
    served_ = std::max(served_, strand->used_);
    long_now_ += long_ones;
    lock.unlock();
    const std::chrono::nanoseconds used = strand->work();
    lock.lock();
    long_now_ -= long_ones;
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
