// The environment: a stream of jobs with classes and a ServiceSystem of equal servers with a
// waiting room. reset takes the first job; step admits or refuses the job that asks, moves time to
// the next arrival while services end, and writes the row. After the last job the servers run
// empty. Pool calls it.
#include "park/envs/simple_queue/simple_queue.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace park::simple_queue {
namespace {

std::vector<double> lines(const SimpleQueueConfig& c) {
  if (c.discipline == "priority") return c.priorities;
  return std::vector<double>(c.priorities.size(), 0.0);
}

}  // namespace

Spec SimpleQueue::spec(const Config& c) {
  return QueueLayout(c).spec(
      {.name = "simple_queue",
       .summary = "admit or refuse jobs of several priorities at a queue with equal servers",
       .reference =
           "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS "
           "2019; Sutton, Barto, Reinforcement Learning: An Introduction, 2nd edition, 2018, "
           "example 10.2 (servers=10,priorities=[1,2,4,8],free_probability=0.06); Miller, A "
           "queueing reward system with several customer classes, Management Science 16(3), 1969",
       .traits = {.cloneable = true}});
}

SimpleQueue::SimpleQueue(const Config& c)
    : config_(c),
      layout_(c),
      source_(c),
      system_(static_cast<std::size_t>(c.servers), lines(c), c.waiting_room),
      timeline_(static_cast<std::size_t>(c.servers), c.interval_s) {}

void SimpleQueue::reset(const Episode& e, Row observation) {
  source_.reset(e.inputs, e.dynamics);
  system_.clear();
  const bool own = std::isinf(e.horizon_s) && std::isinf(config_.jobs);
  horizon_ = (own ? config_.horizon_s : e.horizon_s) / config_.interval_s;
  now_ = 0;
  arrived_ = admitted_ = lost_ = 0;
  waits_.clear();
  responses_.clear();
  waiting_integral_ = busy_integral_ = rewards_ = 0;
  if (timeline_) timeline_.begin();
  accept(source_.next());
  observe(observation);
}

Outcome SimpleQueue::step(ConstRow action, Row observation) {
  const double reward = decide(action.scalar(layout_.admit) != 0);
  if (static_cast<double>(arrived_) < config_.jobs) {
    const QueueJob next = source_.next();
    const double arrival = now_ + next.gap;
    if (arrival < horizon_) [[likely]] {
      const Outcome o = advance(arrival, reward);
      accept(next);
      observe(observation);
      return o;
    }
  }
  return finish(reward, observation);
}

/// A job arrives now.
void SimpleQueue::accept(const QueueJob& job) {
  asking_ = job;
  asked_ = true;
  ++arrived_;
  if (timeline_) timeline_.arrival(now_, arrived_ - 1, config_.priorities[job.class_index]);
}

double SimpleQueue::decide(bool admit) {
  asked_ = false;
  const std::uint64_t number = arrived_ - 1;
  if (!admit) {
    if (timeline_) timeline_.turned_away(now_, number, "refused");
    return 0;
  }
  if (!system_.admit({number, asking_.class_index, now_, asking_.service}, now_)) {
    ++lost_;
    if (timeline_) timeline_.turned_away(now_, number, "lost");
    return 0;
  }
  ++admitted_;
  if (timeline_) timeline_.counts(now_, system_);
  return config_.priorities[asking_.class_index];
}

/// No job follows: serves what is there, up to the horizon.
Outcome SimpleQueue::finish(double reward, Row observation) {
  const bool last = static_cast<double>(arrived_) >= config_.jobs;
  const double start = now_, paid = waiting_integral_;
  while (system_.busy() > 0 && system_.next_done() <= horizon_) complete();
  const bool terminated = last && system_.busy() == 0;
  if (!terminated) pass(horizon_);
  if (timeline_) cut_services();
  Outcome o{
      .reward = reward - config_.waiting_cost * config_.interval_s * (waiting_integral_ - paid),
      .elapsed_s = (now_ - start) * config_.interval_s,
      .end = terminated ? End::terminated : End::truncated};
  rewards_ += o.reward;
  observe(observation);
  wait_percentiles_ = waits_.percentiles_s();
  return o;
}

Outcome SimpleQueue::advance(double until, double reward) {
  const double start = now_, paid = waiting_integral_;
  while (system_.next_done() <= until) complete();
  pass(until);
  const double cost = config_.waiting_cost * config_.interval_s * (waiting_integral_ - paid);
  rewards_ += reward - cost;
  return {.reward = reward - cost, .elapsed_s = (until - start) * config_.interval_s};
}

void SimpleQueue::pass(double until) noexcept {
  const double time = until - now_;
  waiting_integral_ += time * static_cast<double>(system_.waiting());
  busy_integral_ += time * static_cast<double>(system_.busy());
  now_ = until;
}

void SimpleQueue::complete() {
  pass(system_.next_done());
  const ServiceSystem::Served s = system_.complete();
  waits_.add((s.start - s.job.arrived) * config_.interval_s);
  responses_.add((s.done - s.job.arrived) * config_.interval_s);
  if (!timeline_) return;
  timeline_.service(s, config_.priorities[s.job.class_index], false);
  timeline_.counts(now_, system_);
}

/// What is in service at the end of an episode that the horizon cut is shown up to there.
void SimpleQueue::cut_services() {
  for (ServiceSystem rest = system_; rest.busy() > 0;) {
    ServiceSystem::Served s = rest.complete();
    if (s.start > now_) continue;
    s.done = now_;
    timeline_.service(s, config_.priorities[s.job.class_index], true);
  }
}

void SimpleQueue::observe(Row row) const {
  const QueueLayout& l = layout_;
  row.scalar(l.busy) = static_cast<float>(system_.busy());
  row.scalar(l.free) = static_cast<float>(system_.free());
  row.scalar(l.waiting) = static_cast<float>(system_.waiting());
  row.scalar(l.places) = static_cast<float>(std::min(system_.places(), kMaxQueueJobs));
  row.scalar(l.job_reward) =
      asked_ ? static_cast<float>(config_.priorities[asking_.class_index]) : 0.0f;
  const auto rewards = row[l.class_reward];
  for (std::size_t i = 0; i < rewards.size(); ++i)
    rewards[i] = static_cast<float>(config_.priorities[i]);
  row.scalar(l.interval_s) = static_cast<float>(config_.interval_s);
  row.scalar(l.gap_cv) = config_.arrivals == "slotted" ? 0.0f : 1.0f;
  row.scalar(l.service_s) = static_cast<float>(config_.mean_service_s());
  row.scalar(l.waiting_cost) = static_cast<float>(config_.waiting_cost);
}

void SimpleQueue::metrics(std::span<double> out) const {
  const QueueLayout& l = layout_;
  const auto asked = static_cast<double>(arrived_);
  out[l.reward_per_job] = rewards_ / asked;
  out[l.admitted_share] = static_cast<double>(admitted_) / asked;
  out[l.lost_share] = static_cast<double>(lost_) / asked;
  out[l.avg_wait_s] = waits_.mean_s();
  out[l.p95_wait_s] = wait_percentiles_.p95;
  out[l.avg_response_s] = responses_.mean_s();
  out[l.avg_jobs_waiting] = waiting_integral_ / now_;
  out[l.avg_jobs_in_system] = (waiting_integral_ + busy_integral_) / now_;
  out[l.utilisation] = busy_integral_ / (now_ * config_.servers);
  out[l.jobs_served] = static_cast<double>(responses_.count());
}

std::unique_ptr<Env> SimpleQueue::clone() const {
  auto copy = std::make_unique<SimpleQueue>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

std::unique_ptr<Env> SimpleQueue::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<SimpleQueue>(*this);
  copy->timeline_.set(nullptr);
  const Rng future(seed);
  copy->source_.reset(future.split("inputs").bits(), future.split("dynamics").bits());
  const Rng services = future.split("present");
  copy->asking_.service = source_.service(services.split(arrived_ - 1));
  copy->system_.change_waiting(
      [&](Customer& job) { job.service = source_.service(services.split(job.number)); });
  return copy;
}

}  // namespace park::simple_queue
