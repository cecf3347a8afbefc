// The environment around a TrainingCluster. reset begins an episode; step applies the chosen move.
// While moves are left no time passes. Else time passes until some move but the end is possible.
// observe writes the row from the cluster's jobs and from the list of moves that the next action
// chooses from. Pool calls it.
#include "park/envs/dl_cluster/dl_cluster.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "park/envs/dl_cluster/allreduce_cluster.h"
#include "park/envs/dl_cluster/ps_cluster.h"

namespace park::dl_cluster {
namespace {

constexpr double kSecondsPerHour = 3600;

std::unique_ptr<TrainingCluster> make_cluster(const DlClusterConfig& c) {
  if (c.is_ps()) return std::make_unique<PsCluster>(c, SpeedTable::open(c.table));
  return std::make_unique<AllReduceCluster>(c);
}

/// NaN for what is not defined.
double defined(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Spec DlCluster::spec(const Config& c) {
  return ClusterLayout(make_cluster(c)->sizes())
      .spec({.name = kName,
             .summary = "grant workers and servers, or GPUs, to elastic training jobs",
             .reference =
                 "Peng et al., DL2: A Deep Learning-driven Scheduler for Deep Learning Clusters, "
                 "arXiv 1909.06040, 2019 (model=ps); Qiao et al., Pollux: Co-adaptive Cluster "
                 "Scheduling for Goodput-Optimized Deep Learning, OSDI 2021 (model=allreduce)",
             .traits = {.twin = "dl_cluster_live"}});
}

std::vector<std::filesystem::path> DlCluster::data_files(const Config& c) { return c.files(); }

DlCluster::DlCluster(const Config& c) : DlCluster(c, make_cluster(c)) {}

DlCluster::DlCluster(const Config& c, std::unique_ptr<TrainingCluster> cluster)
    : config_(c), cluster_(std::move(cluster)), layout_(cluster_->sizes()) {}

void DlCluster::reset(const Episode& episode, Row observation) {
  limit_s_ = std::min(episode.horizon_s, config_.max_slots * config_.period_s());
  cluster_->begin(episode, timeline_);
  cluster_->list(moves_);
  observe(observation);
}

double DlCluster::paid() const {
  const ClusterFigures& f = cluster_->figures();
  return config_.pays_paper_reward() ? f.paper_reward : 0.0 - f.job_seconds / kSecondsPerHour;
}

Outcome DlCluster::step(ConstRow action, Row observation) {
  const Move move = moves_[static_cast<std::size_t>(action.scalar(layout_.move))];
  if (move.kind != MoveKind::end) {
    cluster_->apply(move);
    cluster_->list(moves_);
    if (moves_.size() > 1) {
      observe(observation);
      return {};
    }
  }
  return pass(observation);
}

Outcome DlCluster::pass(Row observation) {
  const double before_s = cluster_->now_s(), paid_before = paid();
  Outcome o;
  do {
    cluster_->pass(limit_s_);
    if (cluster_->done())
      o.end = End::terminated;
    else if (cluster_->now_s() >= limit_s_)
      o.end = End::truncated;
    cluster_->list(moves_);
  } while (o.end == End::none && moves_.size() == 1);
  if (o.end != End::none) {
    cluster_->close();
    moves_.assign(1, {});
    percentiles_ = search_.find(cluster_->completion_times_s());
  }
  o.elapsed_s = cluster_->now_s() - before_s;
  o.reward = paid() - paid_before;
  observe(observation);
  return o;
}

double DlCluster::share(const Job& job) const {
  const auto worker = cluster_->worker_demand(job), server = cluster_->server_demand(job);
  const auto capacity = cluster_->capacity();
  double share = 0;
  for (std::size_t r = 0; r < capacity.size(); ++r)
    share = std::max(share, (job.workers * worker[r] + job.servers * server[r]) /
                                static_cast<double>(capacity[r]));
  return std::min(1.0, share);
}

void DlCluster::observe(Row row) const {
  const ClusterLayout& l = layout_;
  row.scalar(l.time_s) = cluster_->now_s();
  row.scalar(l.keeps) = config_.is_ps() ? 0 : 1;
  row.scalar(l.compat) = config_.is_compat() ? 1 : 0;
  cluster_->write_fixed(l, row);
  const auto capacity = cluster_->capacity(), free = cluster_->node_free();
  std::ranges::copy(capacity, row[l.capacity].begin());
  row.resize(l.nodes, free.size() / capacity.size());
  std::ranges::copy(free, row[l.node_free].begin());
  const auto sums = row[l.free];
  std::ranges::fill(sums, 0.0F);
  for (std::size_t i = 0; i < free.size(); ++i) sums[i % capacity.size()] += free[i];
  observe_jobs(row);
  observe_moves(row);
}

void DlCluster::observe_jobs(Row row) const {
  const ClusterLayout& l = layout_;
  const auto present = cluster_->present();
  const std::size_t n = std::min(present.size(), static_cast<std::size_t>(config_.window_size()));
  row.resize(l.jobs, n);
  const auto id = row[l.job_id], type = row[l.job_type];
  const auto age_s = row[l.age_s], remaining = row[l.remaining], work = row[l.remaining_work];
  const auto part = row[l.share], workers = row[l.workers], servers = row[l.servers];
  const auto last_workers = row[l.last_workers], last_servers = row[l.last_servers];
  const auto request_workers = row[l.request_workers], request_servers = row[l.request_servers];
  const auto attained_s = row[l.attained_s], changes = row[l.changes];
  for (std::size_t i = 0; i < n; ++i) {
    const Job& job = cluster_->jobs()[static_cast<std::size_t>(present[i])];
    const double left = std::max(0.0, job.input.estimate - job.done);
    id[i] = present[i];
    type[i] = cluster_->type_of(job);
    age_s[i] = static_cast<float>(cluster_->now_s() - job.input.arrival_s);
    remaining[i] = static_cast<float>(left / job.input.estimate);
    work[i] = static_cast<float>(left);
    part[i] = static_cast<float>(share(job));
    workers[i] = static_cast<float>(job.workers);
    servers[i] = static_cast<float>(job.servers);
    last_workers[i] = static_cast<float>(job.last_workers);
    last_servers[i] = static_cast<float>(job.last_servers);
    request_workers[i] = static_cast<float>(job.input.request_workers);
    request_servers[i] = static_cast<float>(job.input.request_servers);
    attained_s[i] = static_cast<float>(job.attained_s);
    changes[i] = static_cast<float>(job.changes);
  }
}

void DlCluster::observe_moves(Row row) const {
  const ClusterLayout& l = layout_;
  const std::size_t n = cluster_->present().empty() ? 0 : moves_.size();
  row.resize(l.moves, n);
  const auto job = row[l.move_job], kind = row[l.move_kind];
  const auto workers = row[l.move_workers], servers = row[l.move_servers];
  for (std::size_t i = 0; i < n; ++i) {
    job[i] = moves_[i].job;
    kind[i] = static_cast<std::int32_t>(moves_[i].kind);
    workers[i] = static_cast<float>(moves_[i].workers);
    servers[i] = static_cast<float>(moves_[i].servers);
  }
  std::ranges::fill(row[l.move_mask], std::uint8_t{1});
}

void DlCluster::metrics(std::span<double> out) const {
  const ClusterLayout& l = layout_;
  const auto times_s = cluster_->completion_times_s();
  const ClusterFigures& f = cluster_->figures();
  const auto done = static_cast<double>(times_s.size());
  const auto jobs = static_cast<double>(cluster_->jobs().size());
  const double mean_s = std::accumulate(times_s.begin(), times_s.end(), 0.0) / done;
  double bound_s = 0;
  for (const Job& job : cluster_->jobs()) bound_s += job.bound_s;
  out[l.avg_jct_s] = defined(mean_s);
  if (l.avg_jct_slots) out[*l.avg_jct_slots] = defined(mean_s / config_.slot_s);
  out[l.p50_jct_s] = percentiles_.p50;
  out[l.p99_jct_s] = percentiles_.p99;
  out[l.bound_jct_s] = defined(bound_s / jobs);
  out[l.makespan_s] = cluster_->now_s();
  out[l.worst_fairness] = done > 0 ? defined(f.worst_fairness) : defined(mean_s);
  out[l.changes_per_job] = static_cast<double>(f.changes) / jobs;
  out[l.granted_hours] = f.task_seconds / kSecondsPerHour;
  out[l.utilisation] =
      defined(f.slot_seconds / (static_cast<double>(cluster_->capacity()[0]) * cluster_->now_s()));
  out[l.jobs_done] = done;
}

}  // namespace park::dl_cluster
