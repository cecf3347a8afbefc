#include "park/envs/simple_queue/service_system.h"

#include <algorithm>
#include <functional>

#include "park/core/error.h"

namespace park::simple_queue {

ServiceSystem::ServiceSystem(std::size_t servers, std::span<const double> priorities, double room)
    : room_(room) {
  std::vector<double> ranks(priorities.begin(), priorities.end());
  std::ranges::sort(ranks, std::greater<>());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  lines_.resize(ranks.size());
  for (const double priority : priorities)
    line_of_class_.push_back(
        static_cast<std::size_t>(std::ranges::find(ranks, priority) - ranks.begin()));
  served_.resize(servers);
  clear();
}

void ServiceSystem::clear() noexcept {
  ends_.reset(served_.size());
  free_.resize(served_.size());
  for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = free_.size() - 1 - i;
  for (Line& line : lines_) line.head = line.count = 0;
  waiting_ = 0;
}

bool ServiceSystem::admit(const Customer& job, double now) {
  if (!free_.empty()) {
    const std::size_t server = free_.back();
    free_.pop_back();
    start(job, server, now);
    return true;
  }
  if (places() < 1) return false;
  lines_[line_of_class_[job.class_index]].push(job);
  ++waiting_;
  return true;
}

ServiceSystem::Served ServiceSystem::complete() {
  PARK_ASSERT(!ends_.empty());
  const Served served = served_[ends_.take()];
  const auto line = std::ranges::find_if(lines_, [](const Line& l) { return l.count > 0; });
  if (line == lines_.end()) {
    free_.push_back(served.server);
  } else {
    --waiting_;
    start(line->pop(), served.server, served.done);
  }
  ends_.close_hole();
  return served;
}

void ServiceSystem::start(const Customer& job, std::size_t server, double now) {
  served_[server] = {job, server, now, now + job.service};
  ends_.push(now + job.service, static_cast<std::uint32_t>(server));
}

void ServiceSystem::Line::push(const Customer& job) {
  if (count == ring.size()) [[unlikely]] {
    std::rotate(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(head), ring.end());
    head = 0;
    ring.resize(2 * count);
  }
  ring[(head + count++) & (ring.size() - 1)] = job;
}

Customer ServiceSystem::Line::pop() noexcept {
  const Customer job = ring[head];
  head = (head + 1) & (ring.size() - 1);
  --count;
  return job;
}

}  // namespace park::simple_queue
