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

namespace park::load_balance {
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

std::vector<std::filesystem::path> LoadBalance::data_files(const Config& c) {
  if (c.recording.empty()) return {};
  return {c.recording};
}

Spec LoadBalance::spec(const Config& c) {
  Spec s;
  s.name = "load_balance";
  s.summary = "send each arriving job to one of several servers of different speed";
  s.reference =
      "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS 2019; "
      "Mao et al., Variance Reduction for Reinforcement Learning in Input-Driven Environments, "
      "ICLR 2019, sections 3 (its two-server example: servers=2,rates=[3,3]) and 6.2";
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
    : jobs_(c.jobs),
      horizon_of_config_s_(c.horizon_s),
      arrivals_(c),
      servers_(c.server_rates()),
      timeline_(c.server_rates().size()) {
  const Spec s = spec(c);
  const Batch o(s.observation), a(s.action);
  server_rate_ = o.field<float>("server.rate");
  server_jobs_ = o.field<float>("server.jobs");
  server_work_ = o.field<float>("server.work");
  server_drain_ = o.field<float>("server.drain_s");
  job_size_ = o.field<float>("job.size");
  job_gap_ = o.field<float>("job.since_last_arrival_s");
  server_ = a.field<std::int32_t>("server");

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
  servers_.write(now_s_, row[server_rate_], row[server_jobs_], row[server_work_],
                 row[server_drain_]);
  row.scalar(job_size_) = static_cast<float>(asking_.size);
  row.scalar(job_gap_) = static_cast<float>(asking_.gap_s);
}

void LoadBalance::metrics(std::span<double> m) const {
  const auto done = static_cast<double>(responses_.count());
  m[0] = responses_.mean_s();
  m[1] = percentiles_.p50;
  m[2] = percentiles_.p95;
  m[3] = percentiles_.p99;
  m[4] = slowdowns_ / done;
  m[5] = integral_ / now_s_;
  m[6] = (assigned_work_ - servers_.work_left(now_s_)) / (capacity_ * now_s_);
  m[7] = done;
}

std::unique_ptr<Env> LoadBalance::clone() const {
  auto copy = std::make_unique<LoadBalance>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

}  // namespace park::load_balance
