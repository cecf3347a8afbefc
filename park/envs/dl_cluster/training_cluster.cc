// The bookkeeping of both models. begin draws the jobs; take_arrivals makes those present whose
// time has come. A model collects the completions of a step in completed_; complete_until sorts
// them, adds up the integral of the jobs present, and removes them. DlCluster calls begin, then
// list, apply and pass in turn.
#include "park/envs/dl_cluster/training_cluster.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace park::dl_cluster {

TrainingCluster::TrainingCluster(const DlClusterConfig& c, std::vector<double> epochs)
    : config_(c), source_(c, std::move(epochs)) {}

void TrainingCluster::begin(const Episode& episode) {
  source_.draw(episode.inputs, inputs_);
  jobs_.clear();
  for (const JobInput& input : inputs_) {
    Job& job = jobs_.emplace_back();
    job.input = input;
  }
  for (Job& job : jobs_) job.bound_s = alone_s(job, 1);
  now_s_ = 0;
  arrived_ = 0;
  present_.clear();
  completed_.clear();
  figures_ = {};
  jct_s_.clear();
  if (timeline_) timeline_.begin(jobs_.size());
  begin_model(episode);
  take_arrivals();
}

void TrainingCluster::draw_future(std::uint64_t seed) {
  const Rng future(seed);
  begin_noise(future.split("dynamics").bits());
  if (arrived_ == jobs_.size()) return;
  source_.draw_after(future.split("inputs").bits(), arrived_, now_s_, inputs_);
  for (std::size_t k = arrived_; k < jobs_.size(); ++k) {
    jobs_[k].input = inputs_[k];
    jobs_[k].bound_s = alone_s(jobs_[k], 1);
  }
}

void TrainingCluster::take_arrivals() {
  for (; next_arrival_s() <= now_s_; ++arrived_) {
    Job& job = jobs_[arrived_];
    job.job_seconds_at_arrival = figures_.job_seconds;
    present_.push_back(static_cast<std::int32_t>(arrived_));
    ++figures_.events;
    if (timeline_)
      timeline_.arrival(job.input.arrival_s, present_.back(), job.input.type, job.input.work);
  }
}

std::int32_t TrainingCluster::shown() const noexcept {
  return std::min(static_cast<std::int32_t>(present_.size()), config_.window_size());
}

void TrainingCluster::advance(Job& job, double work) {
  job.done += work;
  const double share = work / job.input.work;
  figures_.paper_reward += share;
  figures_.alone_seconds += share * job.bound_s;
}

void TrainingCluster::count_grant(Job& job, double seconds) {
  const double tasks = job.workers + job.servers;
  job.attained_s += tasks * seconds;
  figures_.task_seconds += tasks * seconds;
  figures_.slot_seconds +=
      (job.workers * worker_demand(job)[0] + job.servers * server_demand(job)[0]) * seconds;
}

void TrainingCluster::complete_until(double until_s) {
  std::ranges::sort(completed_, {}, [](const Completion& c) { return std::tie(c.time_s, c.job); });
  for (const Completion& c : completed_) {
    figures_.job_seconds += static_cast<double>(present_.size()) * (c.time_s - now_s_);
    now_s_ = c.time_s;
    finish(c);
  }
  completed_.clear();
  if (done()) return;
  figures_.job_seconds += static_cast<double>(present_.size()) * (until_s - now_s_);
  now_s_ = until_s;
}

void TrainingCluster::finish(const Completion& c) {
  Job& job = jobs_[static_cast<std::size_t>(c.job)];
  const double response_s = c.time_s - job.input.arrival_s;
  jct_s_.push_back(response_s);
  const double among = (figures_.job_seconds - job.job_seconds_at_arrival) / response_s;
  figures_.worst_fairness =
      std::max(figures_.worst_fairness, response_s / alone_s(job, 1 / std::max(1.0, among)));
  ++figures_.events;
  std::erase(present_, c.job);
  if (!timeline_) return;
  timeline_.grant(job.granted_since_s, c.time_s, c.job, job.workers, job.servers);
  timeline_.completion(c.time_s, c.job, response_s);
}

}  // namespace park::dl_cluster
