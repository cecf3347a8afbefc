#include "park/envs/load_balance/load_balance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace park::envs {
namespace {

std::vector<Leaf> observation_leaves(std::int64_t n) {
  const double most_work = kMaxJobs * kMaxJobSize;
  return {
      {.name = "server.rate",
       .shape = {n},
       .low = 0,
       .high = kMaxRate,
       .unit = "work/s",
       .doc = "work that the server does per second"},
      {.name = "server.jobs",
       .shape = {n},
       .low = 0,
       .high = kMaxJobs,
       .doc = "jobs at the server, the one in service included"},
      {.name = "server.work",
       .shape = {n},
       .low = 0,
       .high = most_work,
       .unit = "work",
       .doc = "work left at the server, the rest of the job in service included"},
      {.name = "server.drain_s",
       .shape = {n},
       .low = 0,
       .high = most_work / kMinRate,
       .unit = "s",
       .doc = "time until the server has done the work left: server.work / server.rate"},
      {.name = "job.size",
       .low = 0,
       .high = kMaxJobSize,
       .unit = "work",
       .doc = "size of the job that asks; 0 in the final observation"},
      {.name = "job.since_last_arrival_s",
       .low = 0,
       .high = 64 * kMaxIntervalS,  // a Poisson gap is at most 53 ln 2 = 36.8 times the mean
       .unit = "s",
       .doc = "time since the arrival before; for an episode's first job the time since an arrival "
              "before the episode"},
  };
}

std::vector<Metric> metric_list() {
  return {
      {"avg_response_s", "s", true,
       "mean time from arrival to completion over the jobs that were completed"},
      {"p50_response_s", "s", true,
       "the smallest response time that at least 50 % of the completed jobs do not exceed"},
      {"p95_response_s", "s", true, "the same for 95 %"},
      {"p99_response_s", "s", true, "the same for 99 %"},
      {"avg_slowdown", "1", true,
       "mean over the completed jobs of response time / service time on the fastest server"},
      {"avg_jobs_in_system", "jobs", true,
       "time average of the jobs in the system from the first arrival to the end"},
      {"utilisation", "1", false,
       "work done / (sum of the rates x time from the first arrival to the end)"},
      {"jobs_done", "jobs", false, "jobs completed"},
  };
}

}  // namespace

Spec LoadBalance::spec(const Config& c) {
  Spec s;
  s.name = "load_balance";
  s.summary = "send each arriving job to one of several servers of different speed";
  s.reference =
      "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS 2019; "
      "Mao et al., Variance Reduction for Reinforcement Learning in Input-Driven Environments, "
      "ICLR 2019, sections 3 and 6.2";
  s.observation.leaves = observation_leaves(c.servers);
  s.action.leaves = {{.name = "server",
                      .dtype = DType::i32,
                      .low = 0,
                      .high = c.servers - 1.0,
                      .doc = "the server that gets the job; every one is always open"}};
  s.metrics = metric_list();
  s.traits.cloneable = true;
  return s;
}

LoadBalance::LoadBalance(const Config& c)
    : jobs_(c.jobs), horizon_of_config_s_(c.horizon_s), rates_(c.server_rates()), arrivals_(c) {
  const Spec s = spec(c);
  const Batch o(s.observation), a(s.action);
  server_rate_ = o.field<float>("server.rate");
  server_jobs_ = o.field<float>("server.jobs");
  server_work_ = o.field<float>("server.work");
  server_drain_ = o.field<float>("server.drain_s");
  job_size_ = o.field<float>("job.size");
  job_gap_ = o.field<float>("job.since_last_arrival_s");
  server_ = a.field<std::int32_t>("server");

  const std::size_t n = rates_.size();
  observed_rates_.assign(rates_.begin(), rates_.end());
  fastest_ = std::ranges::max(rates_);
  capacity_ = std::accumulate(rates_.begin(), rates_.end(), 0.0);
  queues_.resize(n);
  next_done_s_.resize(n);
  free_at_s_.resize(n);
  present_.resize(n);
  for (std::size_t i = 0; i < n; ++i) lanes_.push_back("server " + std::to_string(i));
}

void LoadBalance::reset(const Episode& e, Row observation) {
  arrivals_.reset(e.inputs);
  horizon_s_ = std::isinf(e.horizon_s) && std::isinf(jobs_) ? horizon_of_config_s_ : e.horizon_s;
  now_s_ = 0;
  arrived_ = completed_ = 0;
  for (CompletionQueue& q : queues_) q.clear();
  std::ranges::fill(next_done_s_, kInf);
  std::ranges::fill(free_at_s_, 0.0);
  std::ranges::fill(present_, 0.0f);
  responses_.clear();
  integral_ = slowdowns_ = assigned_work_ = 0;
  accept(arrivals_.next());
  observe(observation);
}

Outcome LoadBalance::step(ConstRow action, Row observation) {
  assign(static_cast<std::size_t>(action.scalar(server_)));
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
  const double drained_s = std::ranges::max(free_at_s_);
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
  if (sink_) report_arrival();
}

/// The job that asks joins the queue. FIFO without interruption fixes its completion here.
void LoadBalance::assign(std::size_t server) {
  const double start_s = std::max(now_s_, free_at_s_[server]);
  const double done_s = start_s + asking_.size / rates_[server];
  free_at_s_[server] = done_s;
  queues_[server].push(done_s);
  next_done_s_[server] = queues_[server].front();
  present_[server] += 1;
  assigned_work_ += asking_.size;
  if (done_s <= horizon_s_) {
    responses_.add(done_s - now_s_);
    slowdowns_ += (done_s - now_s_) * fastest_ / asking_.size;
  }
  if (sink_) report_service(server, start_s, done_s);
}

/// Moves time on. The job that arrives then is not counted yet.
Outcome LoadBalance::advance(double until_s) {
  if (sink_) report_completions(until_s);
  double job_seconds = 0;
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (next_done_s_[i] <= until_s) job_seconds += complete(i, until_s);
  const double elapsed_s = until_s - now_s_;
  job_seconds += static_cast<double>(arrived_ - completed_) * elapsed_s;
  now_s_ = until_s;
  integral_ += job_seconds;
  return {.reward = 0.0 - job_seconds, .elapsed_s = elapsed_s};
}

/// The jobs of a server that leave by then; returns the sum of the times that they still stay.
double LoadBalance::complete(std::size_t server, double until_s) {
  CompletionQueue& queue = queues_[server];
  double stays_s = 0;
  do {
    stays_s += queue.front() - now_s_;
    queue.pop();
    present_[server] -= 1;
    ++completed_;
  } while (!queue.empty() && queue.front() <= until_s);
  next_done_s_[server] = queue.empty() ? kInf : queue.front();
  return stays_s;
}

void LoadBalance::observe(Row row) const {
  const std::size_t n = rates_.size();
  std::ranges::copy(observed_rates_, row[server_rate_].begin());
  std::ranges::copy(present_, row[server_jobs_].begin());
  const std::span<float> work = row[server_work_], drain_s = row[server_drain_];
  for (std::size_t i = 0; i < n; ++i) {
    const double left_s = std::max(0.0, free_at_s_[i] - now_s_);
    drain_s[i] = static_cast<float>(left_s);
    work[i] = static_cast<float>(left_s * rates_[i]);
  }
  row.scalar(job_size_) = static_cast<float>(asking_.size);
  row.scalar(job_gap_) = static_cast<float>(asking_.gap_s);
}

void LoadBalance::metrics(std::span<double> m) const {
  double work_left = 0;
  for (std::size_t i = 0; i < rates_.size(); ++i)
    work_left += std::max(0.0, free_at_s_[i] - now_s_) * rates_[i];
  const auto done = static_cast<double>(responses_.count());
  m[0] = responses_.mean_s();
  m[1] = percentiles_.p50;
  m[2] = percentiles_.p95;
  m[3] = percentiles_.p99;
  m[4] = slowdowns_ / done;
  m[5] = integral_ / now_s_;
  m[6] = (assigned_work_ - work_left) / (capacity_ * now_s_);
  m[7] = done;
}

std::unique_ptr<Env> LoadBalance::clone() const {
  auto copy = std::make_unique<LoadBalance>(*this);
  copy->sink_ = nullptr;
  return copy;
}

void LoadBalance::report_arrival() const {
  const EventArg size{"size", asking_.size};
  sink_->point("arrivals", now_s_, "arrival", {&size, 1});
}

/// After the assignment of job arrived_ - 1 at its arrival.
void LoadBalance::report_service(std::size_t server, double start_s, double done_s) const {
  const std::array<EventArg, 2> args{
      {{"size", asking_.size}, {"wait_s", start_s - now_s_}}};
  const std::string name = "job " + std::to_string(arrived_ - 1);
  if (start_s < horizon_s_)
    sink_->span(lanes_[server], start_s, std::min(done_s, horizon_s_), name, args);
  sink_->value("jobs in system", now_s_, static_cast<double>(arrived_ - completed_));
}

/// The series needs the completions of all servers in the order of time.
void LoadBalance::report_completions(double until_s) {
  completions_s_.clear();
  for (CompletionQueue q : queues_)
    for (; !q.empty() && q.front() <= until_s; q.pop()) completions_s_.push_back(q.front());
  std::ranges::sort(completions_s_);
  auto present = static_cast<double>(arrived_ - completed_);
  for (const double at_s : completions_s_) sink_->value("jobs in system", at_s, --present);
}

}  // namespace park::envs
