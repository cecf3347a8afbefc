// The jobs of an episode. draw makes all of them at its begin: by draw_ps slot after slot, by
// draw_allreduce at uniform times, by draw_trace along the recorded jobs. The random numbers of job k
// are those of split("jobs").split(k), so that nothing depends on the other jobs.
// TrainingCluster::begin calls draw.
#include "park/envs/dl_cluster/job_source.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "park/envs/dl_cluster/goodput.h"

namespace park::dl_cluster {
namespace {

constexpr double kDay = 75;            // slots after which arrivals repeat, as in DL2's pattern
constexpr std::uint64_t kOffsets = 5;  // the first slot is one of so many

/// By products of uniform numbers (Knuth), in pieces of a mean that exp(-mean) can hold.
std::int32_t poisson(double mean, Rng rng) {
  std::int32_t n = 0;
  for (; mean > 0; mean -= 500) {
    const double limit = std::exp(-std::min(mean, 500.0));
    for (double product = rng.uniform(); product > limit; product *= rng.uniform()) ++n;
  }
  return n;
}

/// What is true where `estimate` is believed.
double with_error(double estimate, double error, Rng& rng) {
  return estimate * (1 + error * rng.uniform(-1, 1));
}

}  // namespace

JobSource::JobSource(const DlClusterConfig& c, std::vector<double> epochs)
    : config_(c), epochs_(std::move(epochs)) {
  if (c.is_ps()) return;
  for (std::size_t type = 0; type < kTrainingTypes.size(); ++type)
    requests_.push_back(tuned_requests(c, type));
  if (!c.trace.empty()) read_trace();
}

/// All stages have equal parts of the work.
void JobSource::read_trace() {
  trace_ = JobTrace::open(config_.trace);
  const GoodputTable goodput(config_);
  ladder_ = goodput.ladder();
  for (std::size_t type = 0; type < kTrainingTypes.size(); ++type)
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung) {
      const bool across = ladder_[rung] > config_.gpus_of_a_node();
      double time_s = 0;
      for (std::size_t stage = 0; stage < GoodputTable::kStages; ++stage)
        time_s += 1 / goodput.at(type, stage, rung, across);
      mean_speed_.push_back(GoodputTable::kStages / time_s);
    }
}

void JobSource::draw(std::uint64_t inputs, std::vector<JobInput>& jobs) {
  jobs.clear();
  const Rng rng(inputs);
  if (config_.is_ps())
    draw_ps(rng, jobs);
  else if (trace_)
    draw_trace(rng, jobs);
  else
    draw_allreduce(rng, jobs);
}

void JobSource::draw_after(std::uint64_t inputs, std::size_t arrived, double now_s,
                           std::vector<JobInput>& jobs) {
  draw(inputs, jobs);
  if (arrived == jobs.size() || (trace_ && config_.trace_start != "random")) return;
  const double shift_s = config_.is_ps() ? now_s + config_.slot_s - jobs[arrived].arrival_s
                                         : now_s - jobs[arrived - 1].arrival_s;
  for (std::size_t k = arrived; k < jobs.size(); ++k) jobs[k].arrival_s += shift_s;
}

/// daily: per_slot, with fewer towards the middle of a day: 2.6 of 3 in the mean of the first
/// thirty slots, as in the pattern of DL2's code.
std::int32_t JobSource::arrivals_in(const Rng& rng, std::uint64_t slot,
                                    std::uint64_t offset) const {
  const double most = config_.per_slot;
  if (config_.arrivals == "uniform") return config_.per_slot;
  if (config_.arrivals == "poisson") return poisson(most, rng.split("arrivals").split(slot));
  if (config_.arrivals == "pattern")
    return std::min(
        config_.per_slot,
        config_.pattern[static_cast<std::size_t>((slot + offset) % config_.pattern.size())]);
  const double angle = 2 * std::numbers::pi * static_cast<double>(slot + offset) / kDay;
  const double mean = most * (0.85 + 0.25 * std::cos(angle));
  const double drawn = mean + rng.split("arrivals").split(slot).uniform();
  return static_cast<std::int32_t>(std::min(most, std::floor(drawn)));
}

JobInput JobSource::ps_job(Rng rng) const {
  JobInput job;
  job.type = static_cast<std::int32_t>(rng.below(epochs_.size()));
  const double epochs = epochs_[static_cast<std::size_t>(job.type)] * config_.max_epochs;
  job.estimate = std::max(1.0, std::floor(epochs));
  job.work = with_error(job.estimate, config_.work_error, rng);
  job.request_workers = config_.request_workers;
  job.request_servers = config_.request_servers;
  return job;
}

void JobSource::draw_ps(const Rng& rng, std::vector<JobInput>& jobs) const {
  const auto count = static_cast<std::size_t>(config_.job_count());
  const std::uint64_t offset = rng.split("offset").below(kOffsets);
  const Rng of_jobs = rng.split("jobs");
  double first = -1;
  for (std::uint64_t slot = 0; jobs.size() < count; ++slot) {
    const std::int32_t n = arrivals_in(rng, slot, offset);
    if (n > 0 && first < 0) first = static_cast<double>(slot);
    for (std::int32_t i = 0; i < n && jobs.size() < count; ++i) {
      JobInput job = ps_job(of_jobs.split(jobs.size()));
      job.arrival_s = (static_cast<double>(slot) - first) * config_.slot_s;
      jobs.push_back(job);
    }
  }
}

double JobSource::cut(double work_s) const noexcept {
  return config_.most_work_s > 0 ? std::min(work_s, config_.most_work_s) : work_s;
}

void JobSource::draw_allreduce(const Rng& rng, std::vector<JobInput>& jobs) {
  const auto count = static_cast<std::size_t>(config_.job_count());
  arrivals_s_.clear();
  for (std::size_t k = 0; k < count; ++k)
    arrivals_s_.push_back(rng.split("arrivals").split(k).uniform(0, config_.span_s));
  std::ranges::sort(arrivals_s_);
  const Rng of_jobs = rng.split("jobs");
  for (std::size_t k = 0; k < count; ++k) {
    Rng draw = of_jobs.split(k);
    JobInput job;
    job.arrival_s = arrivals_s_[k] - arrivals_s_[0];
    job.type = drawn_type(draw.uniform());
    const TrainingType& type = kTrainingTypes[static_cast<std::size_t>(job.type)];
    const double hours =
        type.least_hours * std::pow(type.most_hours / type.least_hours, draw.uniform());
    job.estimate = cut(hours * 3600);
    job.work = with_error(job.estimate, config_.work_error, draw);
    const auto& requests = requests_[static_cast<std::size_t>(job.type)];
    job.request_workers = requests[draw.below(requests.size())];
    jobs.push_back(job);
  }
}

JobInput JobSource::trace_job(Rng draw, const JobTrace::Job& recorded) const {
  JobInput job;
  job.type = drawn_type(draw.uniform());
  const auto at = std::ranges::lower_bound(ladder_, std::min(recorded.gpus, ladder_.back()));
  const auto rung = static_cast<std::size_t>(at - ladder_.begin());
  job.request_workers = *at;
  job.estimate =
      cut(recorded.run_s * mean_speed_[static_cast<std::size_t>(job.type) * ladder_.size() + rung]);
  job.work = with_error(job.estimate, config_.work_error, draw);
  return job;
}

/// A stretched period has the jobs of the trace at the mean gap of an episode.
void JobSource::draw_trace(const Rng& rng, std::vector<JobInput>& jobs) const {
  const auto recorded = trace_->jobs();
  const auto count = static_cast<std::size_t>(config_.job_count());
  std::size_t entry = 0;
  if (config_.trace_start == "random") entry = rng.split("start").below(recorded.size());
  const double begin_s = recorded[entry].submit_s, period_s = trace_->period_s();
  const double stretched_s =
      config_.span_s / static_cast<double>(count) * static_cast<double>(recorded.size());
  const bool stretch = config_.trace_times == "stretched";
  const Rng of_jobs = rng.split("jobs");
  double lap_s = 0;
  for (std::size_t k = 0; k < count; ++k) {
    jobs.push_back(trace_job(of_jobs.split(k), recorded[entry]));
    const double passed_s = recorded[entry].submit_s + lap_s - begin_s;
    jobs.back().arrival_s = stretch ? passed_s / period_s * stretched_s : passed_s;
    if (++entry < recorded.size()) continue;
    entry = 0;
    lap_s += period_s;
  }
}

}  // namespace park::dl_cluster
