// The environment around a TrainingCluster. reset begins an episode; step applies the chosen move.
// While moves are left no time passes. Else time passes until some move but the end is possible.
// The row is an image that Observation keeps: the jobs, and the list of moves that the next action
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

/// Mean time in the system of the jobs that have arrived; one that is left counts to now.
double mean_time_s(const TrainingCluster& cluster) {
  const auto done = cluster.completion_times_s();
  const auto left = cluster.present();
  double sum_s = std::accumulate(done.begin(), done.end(), 0.0);
  for (const std::int32_t k : left)
    sum_s += cluster.now_s() - cluster.jobs()[static_cast<std::size_t>(k)].input.arrival_s;
  return sum_s / static_cast<double>(done.size() + left.size());
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
             .version = 3,
             .traits = {.cloneable = true, .twin = "dl_cluster_live"}});
}

std::vector<std::filesystem::path> DlCluster::data_files(const Config& c) { return c.files(); }

DlCluster::DlCluster(const Config& c) : DlCluster(c, make_cluster(c)) {}

DlCluster::DlCluster(const Config& c, std::unique_ptr<TrainingCluster> cluster)
    : config_(c),
      cluster_(std::move(cluster)),
      layout_(cluster_->sizes()),
      observation_(layout_, c, *cluster_) {}

DlCluster::DlCluster(const DlCluster& other, std::unique_ptr<TrainingCluster> cluster)
    : config_(other.config_),
      cluster_(std::move(cluster)),
      layout_(other.layout_),
      observation_(other.observation_),
      limit_s_(other.limit_s_),
      moves_(other.moves_),
      percentiles_(other.percentiles_) {}

std::unique_ptr<Env> DlCluster::clone() const {
  auto cluster = cluster_->clone();
  return std::unique_ptr<Env>(cluster ? new DlCluster(*this, std::move(cluster)) : nullptr);
}

std::unique_ptr<Env> DlCluster::clone_with_future(std::uint64_t seed) const {
  auto cluster = cluster_->clone();
  if (!cluster) return nullptr;
  cluster->draw_future(seed);
  return std::unique_ptr<Env>(new DlCluster(*this, std::move(cluster)));
}

void DlCluster::reset(const Episode& episode, Row observation) {
  limit_s_ = std::min(episode.horizon_s, config_.max_slots * config_.period_s());
  cluster_->begin(episode);
  cluster_->list(moves_);
  observation_.write(*cluster_, moves_);
  observation.keep(observation_.row());
}

double DlCluster::paid() const {
  const ClusterFigures& f = cluster_->figures();
  if (config_.pays_paper_reward()) return f.paper_reward;
  const double alone_s = config_.reward == "lost" ? f.alone_seconds : 0;
  return (alone_s - f.job_seconds) / kSecondsPerHour;
}

Outcome DlCluster::step(ConstRow action, Row observation) {
  const Move move = moves_[static_cast<std::size_t>(action.scalar(layout_.move))];
  if (move.kind != MoveKind::end) {
    cluster_->apply(move);
    cluster_->list(moves_);
    if (moves_.size() > 1) {
      observation_.write_after(move, *cluster_, moves_);
      observation.keep(observation_.row());
      return {};
    }
  }
  const Outcome o = pass();
  observation_.write(*cluster_, moves_);
  observation.keep(observation_.row());
  return o;
}

Outcome DlCluster::pass() {
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
  return o;
}

void DlCluster::metrics(std::span<double> out) const {
  const ClusterLayout& l = layout_;
  const auto times_s = cluster_->completion_times_s();
  const ClusterFigures& f = cluster_->figures();
  const auto done = static_cast<double>(times_s.size());
  const auto jobs = static_cast<double>(cluster_->jobs().size());
  const double mean_s = mean_time_s(*cluster_);
  double bound_s = 0;
  for (const Job& job : cluster_->jobs()) bound_s += job.bound_s;
  out[l.avg_jct_s] = defined(mean_s);
  if (l.avg_jct_slots) out[*l.avg_jct_slots] = defined(mean_s / config_.slot_s);
  out[l.p50_jct_s] = percentiles_.p50;
  out[l.p99_jct_s] = percentiles_.p99;
  out[l.bound_jct_s] = defined(bound_s / jobs);
  out[l.makespan_s] = cluster_->now_s();
  out[l.worst_fairness] = defined(done > 0 ? f.worst_fairness : kInf);
  out[l.changes_per_job] = static_cast<double>(f.changes) / jobs;
  out[l.granted_hours] = f.task_seconds / kSecondsPerHour;
  out[l.utilisation] =
      defined(f.slot_seconds / (static_cast<double>(cluster_->capacity()[0]) * cluster_->now_s()));
  out[l.jobs_done] = done;
}

}  // namespace park::dl_cluster
