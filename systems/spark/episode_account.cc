// What a decider is told of an episode on real executors. Outcomes are summed between two questions
// and handed over with the second; jobs that end go to the log, of which the last call makes the
// figures. An application with executors of its own has one account, a pool of executors another.
#include "systems/spark/episode_account.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bridge/codec/failure.h"

namespace park::spark {
namespace {

Batch one_row(const Record& record) {
  Batch batch(record);
  batch.resize(1);  // zero
  return batch;
}

void check(wire::Progress::Reader p) {
  if (!std::isfinite(p.getTimeS()) || !std::isfinite(p.getJobSeconds()) ||
      !std::isfinite(p.getBusySeconds()) || p.getTimeS() < 0)
    throw bridge::Failed(bridge::Code::MALFORMED, "progress: a sum is not finite");
}

}  // namespace

DriverSums::DriverSums(wire::Progress::Reader first)
    : time_s_(first.getTimeS()),
      job_seconds_(first.getJobSeconds()),
      busy_s_(first.getBusySeconds()),
      moves_(first.getMoves()),
      fallbacks_(first.getFallbacks()),
      fallbacks_begin_(fallbacks_) {
  check(first);
}

DriverSums::News DriverSums::take(wire::Progress::Reader p) {
  check(p);
  const News news{.job_seconds = p.getJobSeconds() - job_seconds_,
                  .elapsed_s = std::max(0.0, p.getTimeS() - time_s_),
                  .busy_s = p.getBusySeconds() - busy_s_,
                  .moves = p.getMoves() - moves_,
                  .fell_back = p.getFallbacks() != fallbacks_};
  job_seconds_ = p.getJobSeconds();
  time_s_ = std::max(time_s_, p.getTimeS());
  busy_s_ = p.getBusySeconds();
  moves_ = p.getMoves();
  fallbacks_ = p.getFallbacks();
  return news;
}

EpisodeAccount::EpisodeAccount(Decider& decider, const Spec& spec, const Episode& episode)
    : decider_(decider),
      context_(decider.open(episode)),
      row_(spec),
      action_(one_row(spec.action)),
      metrics_(spec.metrics.size()) {}

EpisodeAccount::~EpisodeAccount() {
  if (open_) close(End::truncated);
}

void EpisodeAccount::take(const DriverSums::News& news) {
  owed_.reward -= news.job_seconds;
  owed_.elapsed_s += news.elapsed_s;
  if (news.fell_back) owed_.applied = Applied::fallback;
  busy_s_ += news.busy_s;
  moves_ += news.moves;
}

void EpisodeAccount::arrived(double at_s) {
  // Nobody has told of other slots before.
  slot_s_ += slots_ * std::max(0.0, first_arrival_s_.value_or(time_s_) - at_s);
  first_arrival_s_ = std::min(first_arrival_s_.value_or(at_s), at_s);
  last_arrival_s_ = std::max(last_arrival_s_, at_s);
}

void EpisodeAccount::ended(wire::EndedJob::Reader job, double arrival_s) {
  arrived(arrival_s);
  if (job.getFailed()) return;
  const double took_s = job.getEndS() - job.getArrivalS();
  // Executors may have gone since it ran.
  const double ideal_s = std::max(job.getWorkS() / most_slots_, job.getChainS());
  log_.add(took_s, ideal_s > 0 ? ideal_s : took_s);
}

bool EpisodeAccount::hand_out(
    ClusterReport& report, Deadline deadline,
    const std::function<void(std::size_t stage, std::uint32_t slots)>& granted) {
  while (report.any_legal()) {
    row_.write(report, last_arrival_s_);
    const Row action = action_.row(0);
    if (decider_.decide(context_, std::exchange(owed_, {}), row_.row(), action, deadline) ==
        Applied::fallback)
      return true;
    const auto stage = static_cast<std::size_t>(action.scalar(row_.layout().stage));
    const std::uint32_t n =
        report.grant(stage, static_cast<std::uint32_t>(action.scalar(row_.layout().limit)));
    if (n > 0) granted(stage, n);
  }
  return false;
}

void EpisodeAccount::saw(double time_s, std::uint32_t slots) noexcept {
  if (first_arrival_s_) slot_s_ += slots_ * std::max(0.0, time_s - time_s_);
  time_s_ = std::max(time_s_, time_s);
  slots_ = slots;
  most_slots_ = std::max(most_slots_, slots);
}

void EpisodeAccount::close(End end) {
  open_ = false;
  owed_.end = end;
  const auto percentiles = log_.percentiles_s();
  const double makespan_s = time_s_ - first_arrival_s_.value_or(time_s_);
  const dag_scheduling::DagLayout& l = row_.layout();
  metrics_[l.avg_jct_s] = log_.mean_s();
  metrics_[l.p50_jct_s] = percentiles.p50;
  metrics_[l.p95_jct_s] = percentiles.p95;
  metrics_[l.p99_jct_s] = percentiles.p99;
  metrics_[l.avg_slowdown] = log_.mean_slowdown();
  metrics_[l.makespan_s] = makespan_s;
  metrics_[l.utilisation] = busy_s_ / slot_s_;
  metrics_[l.executor_moves] = static_cast<double>(moves_);
  metrics_[l.jobs_done] = static_cast<double>(log_.count());
  row_.write({.time_s = time_s_, .slots = slots_, .idle = slots_}, last_arrival_s_);
  decider_.close(context_, owed_, row_.row(), metrics_);
}

}  // namespace park::spark
