#include "systems/spark/application.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bridge/codec/failure.h"

namespace park::spark {
namespace {

constexpr double kUnknownTaskS = 1;  // before anything was measured

Batch one_row(const Record& record) {
  Batch batch(record);
  batch.resize(1);  // zero
  return batch;
}

void check_progress(wire::Progress::Reader p) {
  if (!std::isfinite(p.getTimeS()) || !std::isfinite(p.getJobSeconds()) ||
      !std::isfinite(p.getBusySeconds()) || p.getTimeS() < 0)
    throw bridge::Failed(bridge::Code::MALFORMED, "progress: a sum is not finite");
}

}  // namespace

Application::Application(Decider& decider, const Spec& spec, const ReportLimits& limits,
                         std::shared_ptr<const KnownDurations> known, const Episode& episode,
                         wire::Progress::Reader progress)
    : decider_(decider),
      limits_(limits),
      known_(std::move(known)),
      context_(decider.open(episode)),
      row_(spec),
      action_(one_row(spec.action)),
      metrics_(spec.metrics.size()),
      time_s_(progress.getTimeS()),
      job_seconds_(progress.getJobSeconds()),
      busy_begin_s_(progress.getBusySeconds()),
      busy_s_(busy_begin_s_),
      moves_begin_(progress.getMoves()),
      moves_(moves_begin_),
      fallbacks_begin_(progress.getFallbacks()),
      fallbacks_(fallbacks_begin_),
      mean_s_(kUnknownTaskS) {}

Application::~Application() {
  if (open_) close(End::truncated);
}

void Application::decide(wire::Consult::Reader from, wire::Decision::Builder to,
                         Deadline deadline) {
  check_progress(from.getProgress());
  ClusterReport report = read_report(from, limits_, mean_s_, known_.get());
  learn_mean(from);
  take(from.getProgress());
  slots_ = report.slots;
  for (const JobReport& job : report.jobs) arrived(job.arrival_s);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> grants;  // id, slots
  bool declined = false;
  while (!declined && report.any_legal()) {
    row_.write(report, last_arrival_s_);
    const Row action = action_.row(0);
    declined = decider_.decide(context_, std::exchange(owed_, {}), row_.row(), action, deadline) ==
               Applied::fallback;
    if (declined) break;
    const auto stage = static_cast<std::size_t>(action.scalar(row_.layout().stage));
    const std::uint32_t n =
        report.grant(stage, static_cast<std::uint32_t>(action.scalar(row_.layout().limit)));
    if (n > 0) grants.emplace_back(report.stages[stage].id, n);
  }
  auto list = to.initGrants(static_cast<unsigned>(grants.size()));
  for (unsigned i = 0; i < grants.size(); ++i) {
    list[i].setStage(grants[i].first);
    list[i].setSlots(grants[i].second);
  }
  to.setDeclined(declined);
}

void Application::finish(wire::Progress::Reader progress) {
  check_progress(progress);
  take(progress);
  close(End::terminated);
}

void Application::take(wire::Progress::Reader p) {
  owed_.reward -= p.getJobSeconds() - job_seconds_;
  owed_.elapsed_s += std::max(0.0, p.getTimeS() - time_s_);
  if (p.getFallbacks() != fallbacks_) owed_.applied = Applied::fallback;
  job_seconds_ = p.getJobSeconds();
  time_s_ = std::max(time_s_, p.getTimeS());
  busy_s_ = p.getBusySeconds();
  moves_ = p.getMoves();
  fallbacks_ = p.getFallbacks();
  for (const auto job : p.getEnded()) {
    arrived(job.getArrivalS());
    if (job.getFailed()) continue;
    const double took_s = job.getEndS() - job.getArrivalS();
    const double ideal_s = std::max(job.getWorkS() / std::max(1U, slots_), job.getChainS());
    log_.add(took_s, ideal_s > 0 ? ideal_s : took_s);
  }
}

void Application::learn_mean(wire::Consult::Reader from) {
  double sum_s = 0, tasks = 0;
  for (const auto stage : from.getStages()) {
    sum_s += stage.getMeasuredS();
    tasks += stage.getMeasured();
  }
  if (tasks > 0) mean_s_ = sum_s / tasks;
}

void Application::arrived(double at_s) {
  first_arrival_s_ = std::min(first_arrival_s_.value_or(at_s), at_s);
  last_arrival_s_ = std::max(last_arrival_s_, at_s);
}

void Application::close(End end) {
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
  metrics_[l.utilisation] = (busy_s_ - busy_begin_s_) / (slots_ * makespan_s);
  metrics_[l.executor_moves] = static_cast<double>(moves_ - moves_begin_);
  metrics_[l.jobs_done] = static_cast<double>(log_.count());
  row_.write({.time_s = time_s_, .slots = slots_, .idle = slots_}, last_arrival_s_);
  decider_.close(context_, owed_, row_.row(), metrics_);
}

}  // namespace park::spark
