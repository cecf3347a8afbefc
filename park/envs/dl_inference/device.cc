// The device: queues of arrival times, a running batch, and the cost of what is in the system. The
// environment calls arrive and pass in the order of time, start when the device is free and finish
// when the batch ends. pass integrates: the number of requests is constant between two calls. Rates
// of cost are computed anew whenever requests leave, so that no error builds up.
#include "park/envs/dl_inference/device.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/error.h"

namespace park::dl_inference {

Device::Device(std::vector<Application> apps, double network_s)
    : apps_(std::move(apps)), network_s_(network_s), queues_(apps_.size()), log_(apps_.size()) {
  for (const Application& app : apps_) cost_rates_.push_back(app.weight / app.single_s());
}

void Device::reset() noexcept {
  for (Queue& q : queues_) {
    q.arrivals.clear();
    q.first = q.tenth = q.second = 0;
    q.arrival_sum_s = q.present = q.slowdowns = q.left = 0;
  }
  waiting_ = 0;
  running_.clear();
  now_s_ = cost_rate_ = present_ = cost_ = 0;
  log_.clear();
  totals_ = {};
  slowdowns_.clear();
}

void Device::arrive(std::size_t app) {
  Queue& q = queues_[app];
  q.arrivals.push(now_s_);
  q.arrival_sum_s += now_s_;
  ++waiting_;
  ++totals_.arrived;
  q.present += 1;
  present_ += 1;
  cost_rate_ += cost_rates_[app];
}

void Device::pass(double until_s) noexcept {
  const double elapsed_s = until_s - now_s_;
  cost_ += cost_rate_ * elapsed_s;
  totals_.request_s += present_ * elapsed_s;
  now_s_ = until_s;
}

double Device::start(std::size_t app, std::size_t k, double latency_s) {
  PARK_ASSERT(running_.empty() && k >= 1 && k <= largest_batch(app));
  Queue& q = queues_[app];
  running_app_ = app;
  running_start_s_ = now_s_;
  for (std::size_t i = 0; i < k; ++i) running_.push_back(take_oldest(q));
  log_.start(app, now_s_, now_s_ + latency_s);
  totals_.batched += static_cast<double>(k);
  totals_.device_s += latency_s;
  return now_s_ + latency_s;
}

void Device::finish() {
  const Application& app = apps_[running_app_];
  const double per_single = 1 / app.single_s();
  for (const double arrival_s : running_) {
    const double took_s = response_s(arrival_s);
    totals_.wait_s += running_start_s_ - arrival_s + network_s_;
    if (took_s <= app.deadline_s) ++totals_.in_time;
    leave(running_app_, took_s * per_single);
  }
  totals_.done += running_.size();
  remove(running_app_, static_cast<double>(running_.size()));
  running_.clear();
}

void Device::cut() noexcept {
  const DeviceLog& log = log_;
  const double before_s = log.used_s(running_app_);
  log_.cut(now_s_);
  totals_.device_s += log.used_s(running_app_) - before_s;
}

void Device::drop_late(double cost, double dispatch_s) {
  for (std::size_t a = 0; a < apps_.size(); ++a) {
    const Application& app = apps_[a];
    Queue& q = queues_[a];
    // Arrivals before it are late.
    const double last_s = now_s_ + dispatch_s + app.single_s() + network_s_ - app.deadline_s;
    double dropped = 0;
    for (; q.first < q.arrivals.end() && q.arrivals.at(q.first) < last_s; ++dropped) {
      const double slowdown = response_s(take_oldest(q)) / app.single_s() + cost;
      cost_ += app.weight * cost;
      leave(a, slowdown);
      ++totals_.dropped;
    }
    if (dropped > 0) remove(a, dropped);
  }
}

std::size_t Device::largest_batch(std::size_t app) const noexcept {
  return std::min<std::size_t>(waiting(app), apps_[app].max_batch());
}

double Device::take_cost() noexcept { return std::exchange(cost_, 0.0); }

void Device::look() noexcept {
  for (Queue& q : queues_) {
    while (q.second < q.arrivals.end() && q.arrivals.at(q.second) <= now_s_ - 1) ++q.second;
    q.tenth = std::max(q.tenth, q.second);
    while (q.tenth < q.arrivals.end() && q.arrivals.at(q.tenth) <= now_s_ - 0.1) ++q.tenth;
    q.arrivals.pop_before(std::min(q.first, q.second));
  }
  log_.look(now_s_);
}

Device::Seen Device::seen(std::size_t app) const noexcept {
  const Queue& q = queues_[app];
  const auto n = static_cast<double>(waiting(app));
  const auto batch = static_cast<double>(largest_batch(app));
  Seen seen{.oldest_s = now_s_ - q.arrivals.at(q.first),
            .wait_sum_s = std::max(0.0, n * now_s_ - q.arrival_sum_s),
            .arrivals_tenth = static_cast<double>(q.arrivals.end() - q.tenth),
            .arrivals_second = static_cast<double>(q.arrivals.end() - q.second),
            .batch_wait_s = {}};
  const double length = batch / static_cast<double>(seen.batch_wait_s.size());
  double from = 0;
  for (double& mean_s : seen.batch_wait_s) {
    mean_s = quarter_sum_s(q, from, from + length) / length;
    from += length;
  }
  return seen;
}

double Device::mean_slowdown(std::size_t app) const noexcept {
  return queues_[app].slowdowns / queues_[app].left;
}

double Device::take_oldest(Queue& q) noexcept {
  const double arrival_s = q.arrivals.at(q.first++);
  q.arrival_sum_s -= arrival_s;
  if (q.first == q.arrivals.end()) q.arrival_sum_s = 0;
  --waiting_;
  return arrival_s;
}

/// A request leaves the system for good. The time of its ways passes elsewhere, and costs as much here.
void Device::leave(std::size_t app, double slowdown) {
  cost_ += cost_rates_[app] * network_s_;
  totals_.request_s += network_s_;
  queues_[app].slowdowns += slowdown;
  queues_[app].left += 1;
  slowdowns_.push_back(slowdown);
}

void Device::remove(std::size_t app, double requests) noexcept {
  queues_[app].present -= requests;
  cost_rate_ = present_ = 0;
  for (std::size_t a = 0; a < apps_.size(); ++a) {
    cost_rate_ += queues_[a].present * cost_rates_[a];
    present_ += queues_[a].present;
  }
}

/// The sum of the waits from one place of the queue to another, where request i takes the places
/// from i to i + 1. Places are quarters of whole numbers, which are exact.
double Device::quarter_sum_s(const Queue& q, double from, double to) const noexcept {
  const auto waited_s = [&](std::uint64_t i) { return now_s_ - q.arrivals.at(q.first + i); };
  auto i = static_cast<std::uint64_t>(from);
  double sum_s = 0;
  if (const auto begin = static_cast<double>(i); begin < from)
    sum_s += (std::min(to, begin + 1) - from) * waited_s(i++);
  const auto whole = static_cast<std::uint64_t>(to);
  for (; i < whole; ++i) sum_s += waited_s(i);
  if (const auto begin = static_cast<double>(i); begin < to) sum_s += (to - begin) * waited_s(i);
  return sum_s;
}

}  // namespace park::dl_inference
