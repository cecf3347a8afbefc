// The environment: arrivals are drawn one ahead, jobs that wait stand in a vector in their order of
// arrival. reset takes the first job. step serves the chosen job, lets time pass until the server
// is free and a job waits, and writes the row. Park calls it.
#include "single_server.h"

#include <park/core/rng.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace project::newenv {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double mean(double sum, std::int32_t count) { return count > 0 ? sum / count : kUndefined; }

}  // namespace

park::Spec SingleServer::spec(const Config& config) {
  return SingleServerLayout(config).spec(
      {.name = "newenv",
       .summary = "choose which of the waiting jobs a server takes next",
       .reference =
           "Phipps, Machine repair as a priority waiting-line problem, Operations Research "
           "4(1), 1956",
       .version = 1});
}

SingleServer::SingleServer(const Config& config) : config_(config), layout_(config) {}

void SingleServer::reset(const park::Episode& episode, park::Row observation) {
  inputs_ = park::Rng(episode.inputs);
  horizon_s_ = episode.horizon_s;
  now_s_ = job_seconds_ = busy_s_ = wait_sum_s_ = response_sum_s_ = 0;
  arrived_ = started_ = served_ = 0;
  busy_ = false;
  waiting_.clear();
  next_ = {};
  if (events_ != nullptr) events_->begin(episode);
  draw_next_arrival();
  pass_until(next_.arrived_s);
  observe(observation);
}

park::Outcome SingleServer::step(park::ConstRow action, park::Row observation) {
  const double asked_s = now_s_, job_seconds = job_seconds_;
  const auto chosen = waiting_.begin() + action.scalar(layout_.next);
  const Job job = *chosen;
  waiting_.erase(chosen);
  const park::End end = serve(job);
  observe(observation);
  return {.reward = job_seconds - job_seconds_, .elapsed_s = now_s_ - asked_s, .end = end};
}

/// Serves the job, then waits for the next question or the end.
park::End SingleServer::serve(const Job& job) {
  const double start_s = now_s_;
  busy_ = true;
  ++started_;
  wait_sum_s_ += start_s - job.arrived_s;
  pass_until(start_s + job.size_s);
  const bool complete = now_s_ < horizon_s_;
  report(job, start_s, complete);
  if (!complete) return park::End::truncated;
  busy_ = false;
  ++served_;
  response_sum_s_ += now_s_ - job.arrived_s;
  if (!waiting_.empty()) return park::End::none;
  if (arrived_ == config_.jobs) return park::End::terminated;
  pass_until(next_.arrived_s);
  return now_s_ < horizon_s_ ? park::End::none : park::End::truncated;
}

/// What a job is like depends on its number alone, so it is the same job whatever was done before.
void SingleServer::draw_next_arrival() {
  const park::Rng job = inputs_.split(static_cast<std::uint64_t>(arrived_));
  park::Rng gap = job.split("gap"), size = job.split("size");
  next_.number = arrived_;
  if (arrived_ > 0) next_.arrived_s += gap.exponential(config_.interval_s);
  next_.size_s = config_.sizes == "constant" ? config_.size_s : size.exponential(config_.size_s);
}

void SingleServer::arrive() {
  waiting_.push_back(next_);
  ++arrived_;
  if (events_ != nullptr) {
    const park::EventArg size{"size_s", next_.size_s};
    events_->point("queue", next_.arrived_s, "arrival", {&size, 1});
  }
  draw_next_arrival();
}

/// Moves the clock, but not past the horizon. Jobs that arrive up to then join the queue.
void SingleServer::pass_until(double time_s) {
  const double until_s = std::min(time_s, horizon_s_);
  const auto pass = [this](double to_s) {
    const double in_system = static_cast<double>(waiting_.size()) + (busy_ ? 1 : 0);
    job_seconds_ += in_system * (to_s - now_s_);
    if (busy_) busy_s_ += to_s - now_s_;
    now_s_ = to_s;
  };
  while (arrived_ < config_.jobs && next_.arrived_s <= until_s) {
    pass(next_.arrived_s);
    arrive();
  }
  pass(until_s);
}

void SingleServer::report(const Job& job, double start_s, bool complete) const {
  if (events_ == nullptr) return;
  const std::array args{park::EventArg{"job", static_cast<double>(job.number)},
                        park::EventArg{"size_s", job.size_s}};
  events_->span("server", start_s, now_s_, complete ? "service" : "service, cut off", args);
  if (complete) events_->point("server", now_s_, "completion", args);
}

void SingleServer::observe(park::Row row) const {
  row.scalar(layout_.to_come) = static_cast<float>(config_.jobs - arrived_);
  row.resize(layout_.waiting, waiting_.size());
  const auto size_s = row[layout_.size_s];
  const auto wait_s = row[layout_.wait_s];
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    size_s[i] = static_cast<float>(waiting_[i].size_s);
    wait_s[i] = static_cast<float>(now_s_ - waiting_[i].arrived_s);
  }
}

void SingleServer::metrics(std::span<double> out) const {
  out[layout_.response_s] = mean(response_sum_s_, served_);
  out[layout_.avg_wait_s] = mean(wait_sum_s_, started_);
  out[layout_.utilisation] = now_s_ > 0 ? busy_s_ / now_s_ : kUndefined;
}

std::uint64_t SingleServer::event_count() const noexcept {
  return static_cast<std::uint64_t>(arrived_) + static_cast<std::uint64_t>(served_);
}

}  // namespace project::newenv
