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

std::vector<Leaf> state_leaves(const SimpleQueueConfig& c) {
  const double room = std::min(c.waiting_room, kMaxQueueJobs);
  return {
      {.name = "server.busy", .low = 0, .high = 1.0 * c.servers, .doc = "busy servers"},
      {.name = "server.free", .low = 0, .high = 1.0 * c.servers, .doc = "free servers"},
      {.name = "queue.waiting", .low = 0, .high = room, .doc = "admitted jobs that wait"},
      {.name = "queue.places",
       .low = 0,
       .high = room,
       .doc = "places left in the waiting room, at most 1e9"},
      {.name = "job.reward",
       .low = 0,
       .high = std::ranges::max(c.priorities),
       .doc = "priority of the job that asks; 0 in the final observation"},
  };
}

/// What does not change within an episode.
std::vector<Leaf> static_leaves(const SimpleQueueConfig& c) {
  return {
      {.name = "class.reward",
       .shape = {static_cast<std::int64_t>(c.priorities.size())},
       .low = 0,
       .high = kMaxPriority,
       .doc = "priority of each class"},
      {.name = "arrival.interval_s",
       .low = 0,
       .high = kMaxQueueTimeS,
       .unit = "s",
       .doc = "mean time between arrivals"},
      {.name = "arrival.gap_cv",
       .low = 0,
       .high = 1,
       .doc = "coefficient of variation of these times: 0 slotted, 1 Poisson"},
      {.name = "service.mean_s",
       .low = 0,
       .high = kMaxQueueTimeS / kMinFreeProbability,
       .unit = "s",
       .doc = "mean service time"},
      {.name = "queue.waiting_cost",
       .low = 0,
       .high = kMaxWaitingCost,
       .unit = "1/s",
       .doc = "cost per second of each job that waits"},
  };
}

std::vector<Metric> metric_list() {
  return {
      {"reward_per_job", "1", false, "sum of the rewards / jobs that asked"},
      {"admitted_share", "1", false, "jobs admitted and not lost / jobs that asked"},
      {"lost_share", "1", true, "jobs admitted without a free server or place / jobs that asked"},
      {"avg_wait_s", "s", true, "mean time from arrival to start of service over the jobs served"},
      {"p95_wait_s", "s", true,
       "the smallest wait that at least 95 % of the jobs served do not exceed"},
      {"avg_response_s", "s", true, "mean time from arrival to completion over the jobs served"},
      {"avg_jobs_waiting", "jobs", true,
       "time average of the jobs that wait from the first arrival to the end"},
      {"avg_jobs_in_system", "jobs", true, "the same of the jobs that wait or are in service"},
      {"utilisation", "1", false, "time average of the busy servers / servers"},
      {"jobs_served", "jobs", false, "jobs whose service ended"},
  };
}

std::vector<double> lines(const SimpleQueueConfig& c) {
  if (c.discipline == "priority") return c.priorities;
  return std::vector<double>(c.priorities.size(), 0.0);
}

}  // namespace

Spec SimpleQueue::spec(const Config& c) {
  Spec s;
  s.name = "simple_queue";
  s.summary = "admit or refuse jobs of several priorities at a queue with equal servers";
  s.reference =
      "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS 2019; "
      "Sutton, Barto, Reinforcement Learning: An Introduction, 2nd edition, 2018, example 10.2 "
      "(servers=10,priorities=[1,2,4,8],free_probability=0.06); Miller, A queueing reward system "
      "with several customer classes, Management Science 16(3), 1969";
  s.observation.leaves = state_leaves(c);
  for (Leaf& leaf : static_leaves(c)) s.observation.leaves.push_back(std::move(leaf));
  s.action.leaves = {{.name = "admit",
                      .dtype = DType::i32,
                      .low = 0,
                      .high = 1,
                      .doc = "1 admits the job that asks, 0 refuses it; admitting where neither a "
                             "server nor a place is free loses the job, without a reward"}};
  s.metrics = metric_list();
  s.traits.cloneable = true;
  return s;
}

SimpleQueue::SimpleQueue(const Config& c)
    : config_(c),
      source_(c),
      system_(static_cast<std::size_t>(c.servers), lines(c), c.waiting_room),
      timeline_(static_cast<std::size_t>(c.servers), c.interval_s) {
  const Spec s = spec(c);
  const Batch o(s.observation), a(s.action);
  busy_ = o.field<float>("server.busy");
  free_ = o.field<float>("server.free");
  waiting_ = o.field<float>("queue.waiting");
  places_ = o.field<float>("queue.places");
  job_reward_ = o.field<float>("job.reward");
  class_reward_ = o.field<float>("class.reward");
  interval_ = o.field<float>("arrival.interval_s");
  gap_cv_ = o.field<float>("arrival.gap_cv");
  service_mean_ = o.field<float>("service.mean_s");
  waiting_cost_ = o.field<float>("queue.waiting_cost");
  admit_ = a.field<std::int32_t>("admit");
}

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
  const double reward = decide(action.scalar(admit_) != 0);
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
  row.scalar(busy_) = static_cast<float>(system_.busy());
  row.scalar(free_) = static_cast<float>(system_.free());
  row.scalar(waiting_) = static_cast<float>(system_.waiting());
  row.scalar(places_) = static_cast<float>(std::min(system_.places(), kMaxQueueJobs));
  row.scalar(job_reward_) =
      asked_ ? static_cast<float>(config_.priorities[asking_.class_index]) : 0.0f;
  const auto rewards = row[class_reward_];
  for (std::size_t i = 0; i < rewards.size(); ++i)
    rewards[i] = static_cast<float>(config_.priorities[i]);
  row.scalar(interval_) = static_cast<float>(config_.interval_s);
  row.scalar(gap_cv_) = config_.arrivals == "slotted" ? 0.0f : 1.0f;
  row.scalar(service_mean_) = static_cast<float>(config_.mean_service_s());
  row.scalar(waiting_cost_) = static_cast<float>(config_.waiting_cost);
}

void SimpleQueue::metrics(std::span<double> m) const {
  const auto asked = static_cast<double>(arrived_);
  m[0] = rewards_ / asked;
  m[1] = static_cast<double>(admitted_) / asked;
  m[2] = static_cast<double>(lost_) / asked;
  m[3] = waits_.mean_s();
  m[4] = wait_percentiles_.p95;
  m[5] = responses_.mean_s();
  m[6] = waiting_integral_ / now_;
  m[7] = (waiting_integral_ + busy_integral_) / now_;
  m[8] = busy_integral_ / (now_ * config_.servers);
  m[9] = static_cast<double>(responses_.count());
}

std::unique_ptr<Env> SimpleQueue::clone() const {
  auto copy = std::make_unique<SimpleQueue>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

}  // namespace park::simple_queue
