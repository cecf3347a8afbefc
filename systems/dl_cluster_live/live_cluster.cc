// Grants are numbers; processes follow them. pass first moves processes to where the grants are,
// then takes what runs report until decisions are due: at an arrival, a completion, a job that was
// given up, or the next round. settle then adds up what the time has cost and moves the clock of
// rows. DlCluster, the environment of the simulated twin, calls list, apply and pass in turn.
#include "systems/dl_cluster_live/live_cluster.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/error.h"
#include "park/envs/dl_cluster/goodput.h"

namespace park::dl_cluster_live {
namespace {

using dl_cluster::Job;
using dl_cluster::Move;
using dl_cluster::MoveKind;

constexpr std::chrono::milliseconds kLookAtStop{50};

double real_s() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

}  // namespace

LiveCluster::LiveCluster(const DlClusterLiveConfig& c, Runs& runs, JobSpeeds speeds)
    : TrainingCluster(simulated(c), {}),
      live_config_(c),
      runs_(runs),
      speeds_(std::move(speeds)),
      ladder_(ladder_of(c.cores)),
      capacity_{static_cast<float>(c.cores)},
      free_(capacity_) {
  PARK_ASSERT(runs.cores() == c.cores);
  for (std::size_t type = 0; type < dl_cluster::kTrainingTypes.size(); ++type) {
    const auto kind = static_cast<std::size_t>(kind_of(static_cast<std::int32_t>(type)));
    source().set_requests(type, dl_cluster::tuned_requests(ladder_, speeds_.relative(kind)));
  }
}

dl_cluster::ClusterSizes LiveCluster::sizes_of(const DlClusterLiveConfig& c) {
  const auto rungs = static_cast<std::int64_t>(ladder_of(c.cores).size());
  return {.ps = false,
          .speeds = c.speeds != "none",
          .jobs = c.jobs,
          .window = c.jobs,
          .nodes = 1,
          .types = static_cast<std::int64_t>(kJobKinds.size()),
          .moves = (rungs + 1) * c.jobs + 1,
          .configurations = rungs,
          .resources = 1,
          .workers = static_cast<double>(c.cores),
          .servers = 1};
}

void LiveCluster::write_fixed(const dl_cluster::ClusterLayout& l, Row row) const {
  std::ranges::copy(ladder_, row[l.config_workers].begin());
  std::ranges::fill(row[l.config_servers], 0.0F);
  row.resize(l.types, kJobKinds.size());
  std::ranges::fill(row[l.type_worker], 1.0F);
  std::ranges::fill(row[l.type_server], 0.0F);
  if (!l.type_speed) return;
  const auto told = row[*l.type_speed];
  for (std::size_t kind = 0; kind < kJobKinds.size(); ++kind)
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung)
      told[kind * ladder_.size() + rung] = static_cast<float>(speeds_.relative(kind, rung));
}

double LiveCluster::alone_s(const Job& job, double share) const {
  const double most = std::max(1.0, share * live_config_.cores);
  double best = 1;
  for (std::size_t rung = 0; rung < ladder_.size() && ladder_[rung] <= most; ++rung)
    best = std::max(best, speeds_.relative(static_cast<std::size_t>(kind_of(job)), rung));
  return std::min(job.input.work, live_config_.most_work_s) / best;
}

void LiveCluster::begin_model(const Episode&) {
  trainings_.assign(jobs_.size(), {});
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    job.input.work = std::min(job.input.work, live_config_.most_work_s);
    job.input.estimate = std::min(job.input.estimate, live_config_.most_work_s);
    const auto kind = static_cast<std::size_t>(kind_of(job));
    const double samples = job.input.work / live_config_.scale * speeds_.samples_per_s(kind, 0);
    trainings_[i].steps = std::max<std::int64_t>(1, std::llround(samples / kJobKinds[kind].batch));
  }
  free_ = capacity_;
  lost_.clear();
  round_ = 1;
  live_ = {};
  ++episode_;
  begin_s_ = real_s();
}

double LiveCluster::clock_s() const { return (real_s() - begin_s_) * live_config_.scale; }

double LiveCluster::time_of(const RunEvent& event) const {
  return (event.time_s - begin_s_) * live_config_.scale;
}

void LiveCluster::list(std::vector<Move>& moves) const {
  moves.clear();
  const auto left = static_cast<std::int32_t>(free_[0]);
  for (std::int32_t i = 0; i < shown(); ++i) {
    const auto number = static_cast<std::size_t>(present_[static_cast<std::size_t>(i)]);
    const std::int32_t held = jobs_[number].workers;
    if (trainings_[number].round == round_) continue;
    if (held > 0) moves.push_back({MoveKind::grant, i, 0, 0});
    for (const std::int32_t workers : ladder_) {
      if (workers > held + left) break;
      if (workers != held) moves.push_back({MoveKind::grant, i, workers, 0});
    }
  }
  moves.push_back({});
}

void LiveCluster::apply(const Move& move) {
  const std::int32_t number = present_[static_cast<std::size_t>(move.job)];
  Training& t = training(number);
  release(number);
  job(number).workers = move.workers;
  free_[0] -= static_cast<float>(move.workers);
  t.round = round_;
  t.granted_s = move.workers > 0 ? std::optional(clock_s()) : std::nullopt;
  ++job(number).changes;
  ++figures_.changes;
  ++figures_.events;
}

void LiveCluster::release(std::int32_t number) {
  free_[0] += static_cast<float>(job(number).workers);
  job(number).workers = 0;
}

void LiveCluster::pass(double until_s) {
  for (const std::int32_t number : present_) job(number).last_workers = job(number).workers;
  double end_s = std::min(until_s, next_arrival_s());
  const double round_s = live_config_.round_s;
  if (!present_.empty()) end_s = std::min(end_s, (std::floor(now_s_ / round_s) + 1) * round_s);
  bool due = false;
  do {
    if (runs_.stopping()) throw Stopped{};
    move_processes();
    const std::chrono::duration<double> left(
        std::max(0.0, (end_s - clock_s()) / live_config_.scale));
    due = hear(left < kLookAtStop ? std::chrono::ceil<Clock::duration>(left) : kLookAtStop);
  } while (!due && clock_s() < end_s);
  settle();
}

void LiveCluster::move_processes() {
  for (const std::int32_t number : present_) {
    Training& t = training(number);
    const std::int32_t granted = job(number).workers;
    if (t.run == 0) {
      if (granted > 0 && runs_.free_cores() >= granted) start(number);
    } else if (!t.stopping && t.workers != granted) {
      runs_.stop(t.run);
      t.stopping = true;
    }
  }
}

void LiveCluster::start(std::int32_t number) {
  Training& t = training(number);
  t.workers = job(number).workers;
  t.stopping = false;
  t.run = runs_.start({.kind = kind_of(job(number)),
                       .workers = t.workers,
                       .steps = t.steps,
                       .seed = static_cast<std::uint64_t>(number) + 1,
                       .folder = runs_.folder() / ("job." + std::to_string(episode_) + "." +
                                                   std::to_string(number))});
}

bool LiveCluster::hear(Clock::duration most) {
  bool due = false;
  for (auto event = runs_.next(most); event; event = runs_.next({})) due = take(*event) || due;
  return due;
}

bool LiveCluster::take(const RunEvent& event) {
  const auto at = std::ranges::find(trainings_, event.run, &Training::run);
  if (at == trainings_.end()) return false;
  const auto number = static_cast<std::int32_t>(at - trainings_.begin());
  if (event.what != RunEvent::What::failed) progress(number, event.step);
  if (event.what == RunEvent::What::started && !at->stopping && at->granted_s) {
    live_.change_s += std::max(0.0, time_of(event) - *std::exchange(at->granted_s, {}));
    ++live_.changes;
  }
  if (event.what == RunEvent::What::started || event.what == RunEvent::What::progress) return false;
  at->run = 0;
  if (event.what == RunEvent::What::failed) return take_failure(number);
  if (event.what == RunEvent::What::stopped) return false;
  job(number).done = job(number).input.work;
  completed_.push_back({number, time_of(event)});
  return true;
}

bool LiveCluster::take_failure(std::int32_t number) {
  ++live_.failures;
  if (++training(number).failures < kMostFailures) return false;
  ++live_.given_up;
  lost_.push_back(number);
  return true;
}

void LiveCluster::progress(std::int32_t number, std::int64_t step) {
  const double part = static_cast<double>(step) / static_cast<double>(training(number).steps);
  job(number).done = job(number).input.work * std::min(1.0, part);
}

void LiveCluster::settle() {
  const double end_s = std::max(now_s_, clock_s());
  for (const std::int32_t number : present_) count_grant(job(number), end_s - now_s_);
  for (dl_cluster::Completion& c : completed_) {
    c.time_s = std::clamp(c.time_s, std::max(now_s_, job(c.job).input.arrival_s), end_s);
    release(c.job);
  }
  complete_until(end_s);
  for (const std::int32_t number : lost_) {
    release(number);
    std::erase(present_, number);
    ++figures_.events;
  }
  lost_.clear();
  ++round_;
  // Jobs arrived in between: rows are late, sums are not.
  for (std::size_t k = arrived_; k < jobs_.size() && jobs_[k].input.arrival_s <= now_s_; ++k)
    figures_.job_seconds += now_s_ - jobs_[k].input.arrival_s;
  if (!done()) take_arrivals();
}

void LiveCluster::close() { runs_.end_all(); }

}  // namespace park::dl_cluster_live
