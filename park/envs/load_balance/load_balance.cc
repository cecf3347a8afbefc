// The environment: a stream of jobs and n servers. reset takes the first job; step sends the job
// that asks to a server, moves time to the next arrival while servers complete jobs, and writes the
// row. After the last job it serves what is left. The integral of the number of jobs over time is
// the reward. Pool calls it.
#include "park/envs/load_balance/load_balance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "park/envs/load_balance/declarations.h"

namespace park::load_balance {
std::vector<std::filesystem::path> LoadBalance::data_files(const Config& c) {
  if (c.recording.empty()) return {};
  return {c.recording};
}

Spec LoadBalance::spec(const Config& c) {
  return ServersLayout(c).spec(
      {.name = "load_balance",
       .summary = "send each arriving job to one of several servers of different speed",
       .reference =
           "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS "
           "2019; Mao et al., Variance Reduction for Reinforcement Learning in Input-Driven "
           "Environments, ICLR 2019, sections 3 (its two-server example: servers=2,rates=[3,3]) "
           "and 6.2",
       .traits = {.cloneable = true}});
}

LoadBalance::LoadBalance(const Config& c)
    : jobs_(c.jobs),
      horizon_of_config_s_(c.horizon_s),
      interval_s_(c.interval_s),
      layout_(c),
      arrivals_(c),
      servers_(c.server_rates()),
      timeline_(c.server_rates().size()) {
  const std::vector<double> rates = c.server_rates();
  fastest_ = std::ranges::max(rates);
  capacity_ = std::accumulate(rates.begin(), rates.end(), 0.0);
}

void LoadBalance::reset(const Episode& e, Row observation) {
  arrivals_.reset(e.inputs);
  horizon_s_ = std::isinf(e.horizon_s) && std::isinf(jobs_) ? horizon_of_config_s_ : e.horizon_s;
  now_s_ = 0;
  arrived_ = 0;
  servers_.clear();
  responses_.clear();
  integral_ = slowdowns_ = assigned_work_ = 0;
  if (timeline_) timeline_.begin(horizon_s_);
  accept(arrivals_.next());
  observe(observation);
}

Outcome LoadBalance::step(ConstRow action, Row observation) {
  assign(static_cast<std::size_t>(action.scalar(layout_.server)));
  if (static_cast<double>(arrived_) < jobs_) {
    const Job next = arrivals_.next();
    const double arrival_s = now_s_ + next.gap_s;
    if (arrival_s < horizon_s_) [[likely]] {
      const Outcome o = advance(arrival_s);
      accept(next);
      observe(observation);
      return o;
    }
  }
  return finish(observation);
}

/// No job follows: serves what is there, up to the horizon.
Outcome LoadBalance::finish(Row observation) {
  const bool last = static_cast<double>(arrived_) >= jobs_;
  const double drained_s = servers_.drained_s();
  const bool terminated = last && drained_s <= horizon_s_;
  Outcome o = advance(terminated ? drained_s : horizon_s_);
  o.end = terminated ? End::terminated : End::truncated;
  asking_ = {o.elapsed_s, 0};
  observe(observation);
  percentiles_ = responses_.percentiles_s();
  return o;
}

/// A job arrives now.
void LoadBalance::accept(const Job& job) {
  asking_ = job;
  ++arrived_;
  if (timeline_) timeline_.arrival(now_s_, arrived_ - 1, job.size);
}

/// The job that asks goes to a server.
void LoadBalance::assign(std::size_t server) {
  const Servers::Service service = servers_.add(server, now_s_, asking_.size);
  assigned_work_ += asking_.size;
  if (service.done_s <= horizon_s_) {
    const double response_s = service.done_s - now_s_;
    responses_.add(response_s);
    slowdowns_ += response_s * fastest_ / asking_.size;
  }
  if (timeline_)
    timeline_.service(server,
                      {arrived_ - 1, asking_.size, now_s_, service.start_s, service.done_s});
}

/// Moves time on. The job that arrives then is not counted yet.
Outcome LoadBalance::advance(double until_s) {
  if (timeline_) timeline_.advance(until_s);
  const double job_seconds = servers_.advance(now_s_, until_s);
  const double elapsed_s = until_s - now_s_;
  now_s_ = until_s;
  integral_ += job_seconds;
  return {.reward = 0.0 - job_seconds, .elapsed_s = elapsed_s};
}

void LoadBalance::observe(Row row) const {
  const ServersLayout& l = layout_;
  servers_.write(now_s_, row[l.rate], row[l.jobs], row[l.work], row[l.drain_s]);
  row.scalar(l.size) = static_cast<float>(asking_.size);
  row.scalar(l.gap_s) = static_cast<float>(asking_.gap_s);
}

void LoadBalance::metrics(std::span<double> out) const {
  const ServersLayout& l = layout_;
  const auto done = static_cast<double>(responses_.count());
  out[l.avg_response_s] = responses_.mean_s();
  out[l.p50_response_s] = percentiles_.p50;
  out[l.p95_response_s] = percentiles_.p95;
  out[l.p99_response_s] = percentiles_.p99;
  out[l.avg_slowdown] = slowdowns_ / done;
  out[l.avg_jobs_in_system] = integral_ / now_s_;
  out[l.utilisation] = (assigned_work_ - servers_.work_left(now_s_)) / (capacity_ * now_s_);
  out[l.jobs_done] = done;
}

std::unique_ptr<Env> LoadBalance::clone() const {
  auto copy = std::make_unique<LoadBalance>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

std::unique_ptr<Env> LoadBalance::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<LoadBalance>(*this);
  copy->timeline_.set(nullptr);
  copy->arrivals_.draw_future(seed);
  return copy;
}

/// Without a last job: as many as arrive until the horizon, or a thousand.
std::unique_ptr<Declarations> LoadBalance::declarations() const {
  double jobs = jobs_;
  if (std::isinf(jobs)) jobs = horizon_of_config_s_ / interval_s_;
  if (std::isinf(jobs)) jobs = 1000;
  return std::make_unique<SizeDeclarations>(
      layout_, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(jobs)));
}

}  // namespace park::load_balance
