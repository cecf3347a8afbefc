// Jobs on GPUs whose grants stay. apply releases what a job has and places it anew. pass moves time
// to the nearest of the next arrival, the next completion and the next round; the rates of jobs
// are constant in between. places_ says how many GPUs of each node each job holds. DlCluster calls
// it.
#include "park/envs/dl_cluster/allreduce_cluster.h"

#include <algorithm>
#include <cmath>

#include "park/envs/dl_cluster/speed_fit.h"

namespace park::dl_cluster {
namespace {

constexpr std::size_t kRows = kTrainingTypes.size() * GoodputTable::kStages;

/// A fit of the speeds at the powers of two, on as few nodes as possible.
SpeedFit fit_of(const GoodputTable& table, std::size_t type, std::size_t stage,
                std::int32_t per_node) {
  std::vector<SpeedPoint> points;
  for (std::size_t rung = 0; rung < table.ladder().size(); ++rung) {
    const std::int32_t gpus = table.ladder()[rung];
    if ((gpus & (gpus - 1)) != 0) continue;
    points.push_back({1, static_cast<double>(gpus), table.at(type, stage, rung, gpus > per_node)});
  }
  return fit_speeds(points);
}

}  // namespace

AllReduceCluster::AllReduceCluster(const DlClusterConfig& c) : TrainingCluster(c, {}), goodput_(c) {
  const std::int32_t per_node = c.gpus_of_a_node();
  capacity_ = {static_cast<float>(c.node_count()) * static_cast<float>(per_node)};
  node_free_.resize(static_cast<std::size_t>(c.node_count()));
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::size_t type = row / GoodputTable::kStages, stage = row % GoodputTable::kStages;
    const SpeedFit fit =
        c.speeds == "fitted" ? fit_of(goodput_, type, stage, per_node) : SpeedFit{};
    for (std::size_t rung = 0; rung < goodput_.ladder().size(); ++rung) {
      const std::int32_t gpus = goodput_.ladder()[rung];
      told_.push_back(static_cast<float>(c.speeds == "fitted"
                                             ? fit.samples_per_s(1, gpus)
                                             : goodput_.at(type, stage, rung, gpus > per_node)));
    }
  }
}

/// At every stage, the best rung within the share that is on one node where it can be.
double AllReduceCluster::alone_s(const Job& job, double share) const {
  const double most = std::max(1.0, share * static_cast<double>(capacity_[0]));
  double time_s = config_.change_s;
  for (std::size_t stage = 0; stage < GoodputTable::kStages; ++stage) {
    double best = 1;
    for (std::size_t r = 0; r < goodput_.ladder().size() && goodput_.ladder()[r] <= most; ++r)
      best = std::max(best, goodput_.at(static_cast<std::size_t>(job.input.type), stage, r,
                                        goodput_.ladder()[r] > config_.gpus_of_a_node()));
    time_s += job.input.work / GoodputTable::kStages / best;
  }
  return time_s;
}

void AllReduceCluster::begin_model(const Episode& episode) {
  begin_noise(episode.dynamics);
  round_ = 1;
  std::ranges::fill(node_free_, static_cast<float>(config_.gpus_of_a_node()));
  free_ = static_cast<std::int32_t>(capacity_[0]);
  placed_.assign(jobs_.size(), {});
  places_.assign(jobs_.size() * node_free_.size(), 0);
}

std::int32_t AllReduceCluster::type_of(const Job& job) const {
  const std::size_t stage = GoodputTable::stage(job.done / job.input.work);
  return static_cast<std::int32_t>(
      static_cast<std::size_t>(job.input.type) * GoodputTable::kStages + stage);
}

std::span<std::int32_t> AllReduceCluster::places(std::int32_t number) {
  const std::size_t nodes = node_free_.size();
  return {places_.data() + static_cast<std::size_t>(number) * nodes, nodes};
}

void AllReduceCluster::list(std::vector<Move>& moves) const {
  moves.clear();
  for (std::int32_t i = 0; i < shown(); ++i) {
    const auto number = static_cast<std::size_t>(present_[static_cast<std::size_t>(i)]);
    const std::int32_t held = jobs_[number].workers;
    if (placed_[number].round == round_) continue;
    if (held > 0) moves.push_back({MoveKind::grant, i, 0, 0});
    for (const std::int32_t gpus : goodput_.ladder()) {
      if (gpus > held + free_) break;
      if (gpus != held) moves.push_back({MoveKind::grant, i, gpus, 0});
    }
  }
  moves.push_back({});
}

void AllReduceCluster::apply(const Move& move) {
  const std::int32_t number = present_[static_cast<std::size_t>(move.job)];
  Job& job = jobs_[static_cast<std::size_t>(number)];
  report_span(number, now_s_);
  job.granted_since_s = now_s_;
  release(number);
  place(number, move.workers);
  placed_[static_cast<std::size_t>(number)].round = round_;
  ++job.changes;
  ++figures_.changes;
  ++figures_.events;
  job.blocked_until_s = now_s_ + config_.change_s;
}

void AllReduceCluster::release(std::int32_t number) {
  Job& job = jobs_[static_cast<std::size_t>(number)];
  if (job.workers == 0) return;
  const auto held = places(number);
  for (std::size_t node = 0; node < held.size(); ++node) {
    node_free_[node] += static_cast<float>(held[node]);
    held[node] = 0;
  }
  free_ += job.workers;
  job.workers = 0;
}

std::int32_t AllReduceCluster::take(std::int32_t number, std::size_t node, std::int32_t gpus) {
  const std::int32_t taken = std::min(gpus, static_cast<std::int32_t>(node_free_[node]));
  node_free_[node] -= static_cast<float>(taken);
  places(number)[node] += taken;
  return gpus - taken;
}

void AllReduceCluster::place(std::int32_t number, std::int32_t gpus) {
  Job& job = jobs_[static_cast<std::size_t>(number)];
  job.workers = gpus;
  if (gpus == 0) return;
  free_ -= gpus;
  const auto per_node = static_cast<float>(config_.gpus_of_a_node());
  std::int32_t left = gpus;
  for (std::size_t node = 0; node < node_free_.size() && left > 0; ++node)
    if (node_free_[node] == per_node && static_cast<float>(left) >= per_node)
      left = take(number, node, left);
  while (left > 0) {
    std::size_t tight = node_free_.size(), most = 0;
    for (std::size_t node = 0; node < node_free_.size(); ++node) {
      if (node_free_[node] > node_free_[most]) most = node;
      if (node_free_[node] >= static_cast<float>(left) &&
          (tight == node_free_.size() || node_free_[node] < node_free_[tight]))
        tight = node;
    }
    left = take(number, tight < node_free_.size() ? tight : most, left);
  }
  Placed& p = placed_[static_cast<std::size_t>(number)];
  const auto rung = std::ranges::lower_bound(goodput_.ladder(), gpus);
  p.rung = static_cast<std::size_t>(rung - goodput_.ladder().begin());
  p.across_nodes = std::ranges::count_if(places(number), [](std::int32_t n) { return n > 0; }) > 1;
}

double AllReduceCluster::rate(std::int32_t number) const {
  const Job& job = jobs_[static_cast<std::size_t>(number)];
  if (job.workers == 0) return 0;
  const Placed& p = placed_[static_cast<std::size_t>(number)];
  const std::size_t stage = GoodputTable::stage(job.done / job.input.work);
  const double speed =
      goodput_.at(static_cast<std::size_t>(job.input.type), stage, p.rung, p.across_nodes);
  if (config_.speed_noise == 0) return speed;
  const auto period = static_cast<std::uint64_t>(now_s_ / config_.round_s);
  Rng draw = noise_.split(static_cast<std::uint64_t>(number)).split(period);
  return speed * (1 + config_.speed_noise * draw.uniform(-1, 1));
}

double AllReduceCluster::next_completion_s() const {
  double next_s = kInf;
  for (const std::int32_t number : present_) {
    const Job& job = jobs_[static_cast<std::size_t>(number)];
    if (job.workers == 0) continue;
    const double start_s = std::max(now_s_, job.blocked_until_s);
    next_s = std::min(next_s, start_s + (job.input.work - job.done) / rate(number));
  }
  return next_s;
}

void AllReduceCluster::pass(double until_s) {
  const double round_s = (std::floor(now_s_ / config_.round_s) + 1) * config_.round_s;
  double end_s = present_.empty() ? next_arrival_s() : std::min(round_s, next_arrival_s());
  end_s = std::min({end_s, until_s, next_completion_s()});
  if (timeline_) report_grants();
  for (const std::int32_t number : present_) progress(number, end_s);
  for (const Completion& c : completed_) {
    report_span(c.job, c.time_s);
    release(c.job);
  }
  complete_until(end_s);
  ++round_;
  if (!done()) take_arrivals();
}

void AllReduceCluster::report_grants() const {
  double granted = 0;
  for (const std::int32_t number : present_)
    granted += jobs_[static_cast<std::size_t>(number)].workers;
  timeline_.granted(now_s_, granted);
}

void AllReduceCluster::report_span(std::int32_t number, double until_s) const {
  const Job& job = jobs_[static_cast<std::size_t>(number)];
  if (timeline_) timeline_.grant(job.granted_since_s, until_s, number, job.workers, 0);
}

void AllReduceCluster::close() {
  for (const std::int32_t number : present_) report_span(number, now_s_);
}

void AllReduceCluster::progress(std::int32_t number, double until_s) {
  Job& job = jobs_[static_cast<std::size_t>(number)];
  job.last_workers = job.workers;
  if (job.workers == 0) return;
  count_grant(job, until_s - now_s_);
  const double start_s = std::max(now_s_, job.blocked_until_s);
  if (start_s >= until_s) return;
  const double speed = rate(number), left = job.input.work - job.done;
  const bool completes = start_s + left / speed <= until_s;
  if (completes) completed_.push_back({number, until_s});
  advance(job, completes ? left : std::min(left, speed * (until_s - start_s)));
}

ClusterSizes AllReduceCluster::sizes() const {
  const std::int64_t jobs = config_.job_count(), window = config_.window_size();
  const auto rungs = static_cast<std::int64_t>(goodput_.ladder().size());
  return {.ps = false,
          .speeds = config_.speeds != "none",
          .jobs = jobs,
          .window = window,
          .nodes = config_.node_count(),
          .types = static_cast<std::int64_t>(kRows),
          .moves = (rungs + 1) * window + 1,
          .configurations = rungs,
          .resources = 1,
          .workers = static_cast<double>(config_.gpus_of_a_job()),
          .servers = 1};
}

void AllReduceCluster::write_fixed(const ClusterLayout& l, Row row) const {
  std::ranges::copy(goodput_.ladder(), row[l.config_workers].begin());
  std::ranges::fill(row[l.config_servers], 0.0F);
  row.resize(l.types, kRows);
  std::ranges::fill(row[l.type_worker], 1.0F);
  std::ranges::fill(row[l.type_server], 0.0F);
  if (l.type_speed) std::ranges::copy(told_, row[*l.type_speed].begin());
}

}  // namespace park::dl_cluster
