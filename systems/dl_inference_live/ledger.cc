// One Entry for each request, by its id, and sums for each application. The cost until now is that of
// the requests that have left plus that of those in the system, whose arrivals are summed; so it
// telescopes and adds up to the weighted slowdowns. A batch of k requests has k replies, each of which
// counts for 1/k of it. The client and the threads that ask for decisions call.
#include "systems/dl_inference_live/ledger.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "park/sim/percentiles.h"

namespace park::inference {

Ledger::Ledger(std::vector<dl_inference::Application> apps, double drop_cost)
    : apps_(std::move(apps)), drop_cost_(drop_cost), sums_(apps_.size()) {
  for (std::size_t a = 0; a < apps_.size(); ++a)
    sums_[a].rate = apps_[a].weight / apps_[a].single_s();
}

std::uint64_t Ledger::arrived(std::size_t app, double scheduled_s, double sent_s) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({.app = app, .scheduled_s = scheduled_s});
  sums_[app].present += 1;
  sums_[app].scheduled_s += scheduled_s;
  lag_s_ += sent_s - scheduled_s;
  ++open_;
  return entries_.size() - 1;
}

void Ledger::answered(const Reply& reply, double now_s) {
  const std::lock_guard lock(mutex_);
  if (reply.id >= entries_.size() || entries_[reply.id].answered) {
    ++strays_;
    return;
  }
  Entry& entry = entries_[reply.id];
  Sums& sums = sums_[entry.app];
  entry.answered = true;
  entry.left_s = now_s;
  --open_;
  sums.present -= 1;
  sums.scheduled_s -= entry.scheduled_s;
  if (sums.present == 0) sums.scheduled_s = 0;
  closed_cost_ += sums.rate * (now_s - entry.scheduled_s);
  if (reply.status == Status::done) return serve(reply, sums, entry);
  ++rejected_;
  closed_cost_ += apps_[entry.app].weight * drop_cost_;
  const double slowdown = (now_s - entry.scheduled_s) / apps_[entry.app].single_s() + drop_cost_;
  sums.slowdowns += slowdown;
  sums.left += 1;
  slowdowns_.push_back(slowdown);
}

void Ledger::serve(const Reply& reply, Sums& sums, const Entry& entry) {
  const dl_inference::Application& app = apps_[entry.app];
  const double response_s = entry.left_s - entry.scheduled_s;
  const double share = 1.0 / std::max<double>(1, reply.batch);
  ++done_;
  if (response_s <= app.deadline_s) ++in_time_;
  wait_s_ += response_s - reply.service_s;
  batches_ += share;
  if (reply.own_rule) own_rule_ += share;
  dispatch_s_ += share * reply.dispatch_s;
  network_s_ += response_s - reply.wait_s - reply.service_s;
  sums.device_s += share * reply.service_s;
  sums.slowdowns += response_s / app.single_s();
  sums.left += 1;
  slowdowns_.push_back(response_s / app.single_s());
}

std::uint64_t Ledger::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

std::uint64_t Ledger::strays() const {
  const std::lock_guard lock(mutex_);
  return strays_;
}

double Ledger::cost(double now_s) const {
  double cost = closed_cost_;
  for (const Sums& s : sums_) cost += s.rate * (s.present * now_s - s.scheduled_s);
  return cost;
}

double Ledger::take_cost(double now_s) {
  const std::lock_guard lock(mutex_);
  const double all = cost(now_s);
  return all - std::exchange(taken_cost_, all);
}

void Ledger::metrics(const LiveLayout& l, double now_s, std::span<double> out) const {
  const std::lock_guard lock(mutex_);
  const auto left = static_cast<double>(done_ + rejected_), done = static_cast<double>(done_);
  double macro = 0, apps = 0, sum = 0, device_s = 0, request_s = 0;
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const double slowdown : slowdowns_) sum += slowdown;
  for (const Entry& e : entries_) request_s += (e.answered ? e.left_s : now_s) - e.scheduled_s;
  for (std::size_t a = 0; a < sums_.size(); ++a) {
    device_s += out[l.device_s[a]] = sums_[a].device_s;
    if (sums_[a].left == 0) continue;
    const double mean = sums_[a].slowdowns / sums_[a].left;
    macro += mean;
    ++apps;
    worst = apps == 1 ? mean : std::max(worst, mean);
  }
  const sim::Percentiles percentiles = sim::PercentileSearch().find(slowdowns_);
  out[l.macro_slowdown] = macro / apps;
  out[l.avg_slowdown] = sum / left;
  out[l.p50_slowdown] = percentiles.p50;
  out[l.p95_slowdown] = percentiles.p95;
  out[l.p99_slowdown] = percentiles.p99;
  out[l.worst_slowdown] = worst;
  out[l.avg_wait_s] = done_ == 0 ? 0 : wait_s_ / done;
  out[l.avg_requests] = request_s / now_s;
  out[l.requests_done] = done;
  out[l.requests_dropped] = static_cast<double>(rejected_);
  out[l.in_time_share] = static_cast<double>(in_time_) / left;
  out[l.avg_batch] = batches_ == 0 ? 0 : done / batches_;
  out[l.utilisation] = device_s / now_s;
  out[l.requests_unanswered] = static_cast<double>(open_);
  out[l.own_rule_batches] = own_rule_;
  out[l.dispatch_s] = batches_ == 0 ? 0 : dispatch_s_ / batches_;
  out[l.network_s] = done_ == 0 ? 0 : network_s_ / done;
  out[l.send_lag_s] = entries_.empty() ? 0 : lag_s_ / static_cast<double>(entries_.size());
}

}  // namespace park::inference
