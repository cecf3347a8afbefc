// The environment: arrivals, one device, and the decisions between batches. step waits or serves a
// batch, moving time to its end while requests arrive. settle then drops what is late and moves time
// to the next arrival where nothing waits. The cost that the device has accrued becomes the reward.
// Pool calls it.
#include "park/envs/dl_inference/dl_inference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace park::dl_inference {

Spec DlInference::spec(const Config& c) {
  return InferenceLayout(applications(c).size())
      .spec({.name = kDlInferenceName,
             .summary = "serve batches of inference requests of several applications on one device",
             .reference = "Zhang et al., DyBatch: Efficient Batching and Fair Scheduling for Deep "
                          "Learning Inference on Time-sharing Devices, CCGRID 2020",
             .traits = {.cloneable = true, .twin = "dl_inference_live"}});
}

DlInference::DlInference(const Config& c) : DlInference(c, applications(c)) {}

/// The arrivals set the rates of the applications, which the device then keeps.
DlInference::DlInference(const Config& c, std::vector<Application> apps)
    : wait_max_s_(c.wait_max_s),
      dispatch_s_(c.dispatch_s),
      drop_cost_(c.drop_cost),
      horizon_of_config_s_(c.horizon_s),
      drops_(c.late == "drop"),
      endless_(std::isinf(c.duration_s)),
      layout_(apps.size()),
      arrivals_(c, apps),
      device_(std::move(apps), c.network_s),
      row_(layout_),
      timeline_(device_.apps()) {}

void DlInference::reset(const Episode& e, Row observation) {
  arrivals_.reset(e.inputs);
  device_.reset();
  horizon_s_ = std::isinf(e.horizon_s) && endless_ ? horizon_of_config_s_ : e.horizon_s;
  decided_s_ = 0;
  if (timeline_) timeline_.begin(horizon_s_);
  advance(0);
  observe(observation);
}

Outcome DlInference::step(ConstRow action, Row observation) {
  const auto choice = static_cast<std::size_t>(action.scalar(layout_.choice));
  const bool arrived = decide();
  if (choice == row_.offered().size()) {
    if (!arrived) wait();
  } else if (device_.now_s() < horizon_s_) {
    serve(row_.offered()[choice], static_cast<std::size_t>(action.scalar(layout_.batch)));
  }
  const Outcome o = outcome(settle());
  observe(observation);
  return o;
}

/// Moves time on. Requests that arrive then are in, unless it is the horizon.
void DlInference::advance(double until_s) {
  while (arrivals_.next().time_s <= until_s && arrivals_.next().time_s < horizon_s_) {
    const Arrival a = arrivals_.next();
    device_.pass(a.time_s);
    device_.arrive(a.app);
    if (timeline_) timeline_.arrival(a.time_s, a.app, device_.waiting(a.app));
    arrivals_.take();
  }
  device_.pass(until_s);
}

/// What the decision takes. Whether requests came meanwhile, which end a wait that has not begun.
bool DlInference::decide() {
  if (dispatch_s_ == 0) return false;
  const std::uint64_t before = device_.totals().arrived;
  advance(std::min(device_.now_s() + dispatch_s_, horizon_s_));
  return device_.totals().arrived > before;
}

void DlInference::wait() {
  advance(std::min({device_.now_s() + wait_max_s_, arrivals_.next().time_s, horizon_s_}));
}

void DlInference::serve(std::size_t app, std::size_t batch) {
  const double start_s = device_.now_s();
  const double end_s = device_.start(app, batch);
  if (timeline_)
    timeline_.batch(app, start_s, end_s, batch, device_.waiting(app), device_.log().used_s(app));
  advance(std::min(end_s, horizon_s_));
  if (end_s > horizon_s_) return device_.cut();
  if (timeline_) timeline_.done(app, end_s, device_.running());
  device_.finish();
}

/// The device is free, or time is over: goes on to the next decision or to the end.
End DlInference::settle() {
  for (;;) {
    if (drops_ && device_.running().empty()) drop_late();
    const bool over = device_.now_s() >= horizon_s_;
    const bool more = arrivals_.next().time_s < kInf;
    if (device_.running().empty() && device_.waiting() == 0 && !more) return End::terminated;
    if (over) return End::truncated;
    if (device_.waiting() > 0) return End::none;
    advance(std::min(arrivals_.next().time_s, horizon_s_));
  }
}

void DlInference::drop_late() {
  if (!timeline_) return device_.drop_late(drop_cost_, dispatch_s_);
  std::vector<std::uint64_t> before;
  for (std::size_t a = 0; a < device_.apps().size(); ++a) before.push_back(device_.waiting(a));
  device_.drop_late(drop_cost_, dispatch_s_);
  for (std::size_t a = 0; a < before.size(); ++a)
    if (device_.waiting(a) < before[a])
      timeline_.dropped(a, device_.now_s(), before[a] - device_.waiting(a), device_.waiting(a));
}

Outcome DlInference::outcome(End end) {
  const double elapsed_s = device_.now_s() - decided_s_;
  decided_s_ = device_.now_s();
  if (end != End::none) percentiles_ = search_.find(device_.slowdowns());
  return {.reward = 0.0 - device_.take_cost(), .elapsed_s = elapsed_s, .end = end};
}

void DlInference::observe(Row row) {
  row_.write(device_, arrivals_.open_after(device_.now_s()), row);
}

void DlInference::metrics(std::span<double> out) const {
  const InferenceLayout& l = layout_;
  const Totals& t = device_.totals();
  const double now_s = device_.now_s();
  const auto left = static_cast<double>(t.done + t.dropped);
  double macro = 0, apps = 0, sum = 0;
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const double slowdown : device_.slowdowns()) sum += slowdown;
  for (std::size_t a = 0; a < device_.apps().size(); ++a) {
    out[l.device_s[a]] = device_.log().used_s(a);
    const double mean = device_.mean_slowdown(a);
    if (std::isnan(mean)) continue;
    macro += mean;
    ++apps;
    worst = std::isnan(worst) ? mean : std::max(worst, mean);
  }
  out[l.macro_slowdown] = macro / apps;
  out[l.avg_slowdown] = sum / left;
  out[l.p50_slowdown] = percentiles_.p50;
  out[l.p95_slowdown] = percentiles_.p95;
  out[l.p99_slowdown] = percentiles_.p99;
  out[l.worst_slowdown] = worst;
  out[l.avg_wait_s] = t.done == 0 ? 0 : t.wait_s / static_cast<double>(t.done);
  out[l.avg_requests] = t.request_s / now_s;
  out[l.requests_done] = static_cast<double>(t.done);
  out[l.requests_dropped] = static_cast<double>(t.dropped);
  out[l.in_time_share] = static_cast<double>(t.in_time) / left;
  const auto batches = static_cast<double>(device_.log().batches());
  out[l.avg_batch] = batches == 0 ? 0 : t.batched / batches;
  out[l.utilisation] = t.device_s / now_s;
}

std::uint64_t DlInference::event_count() const noexcept {
  const Totals& t = device_.totals();
  return t.arrived + t.done + t.dropped;
}

std::unique_ptr<Env> DlInference::clone() const {
  auto copy = std::make_unique<DlInference>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

std::unique_ptr<Env> DlInference::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<DlInference>(*this);
  copy->timeline_.set(nullptr);
  copy->arrivals_.draw_future(seed, device_.now_s());
  return copy;
}

}  // namespace park::dl_inference
