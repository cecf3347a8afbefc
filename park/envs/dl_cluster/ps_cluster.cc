// Jobs with parameter servers. A slot begins with free nodes (begin_slot). apply takes slots
// of a node for a task and finds anew where the next task of each kind and type would go; list offers the
// moves for which there is such a node. pass lets the jobs run to the end of the slot, or to an
// earlier limit, and begins the next slot. DlCluster calls it.
#include "park/envs/dl_cluster/ps_cluster.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/envs/dl_cluster/speed_fit.h"

namespace park::dl_cluster {
namespace {

std::vector<double> epochs_of(const SpeedTable& table) {
  std::vector<double> all;
  for (const SpeedTable::Type& t : table.types()) all.push_back(t.about.epochs);
  return all;
}

}  // namespace

PsCluster::PsCluster(const DlClusterConfig& c, std::shared_ptr<const SpeedTable> table)
    : TrainingCluster(c, epochs_of(*table)), table_(std::move(table)) {
  for (const SpeedTable::Type& t : table_->types()) {
    const JobType& a = t.about;
    demand_.insert(demand_.end(),
                   {a.worker, a.server, {a.worker[0] + a.server[0], a.worker[1] + a.server[1]}});
    const Demand& both = demand_.back();
    if (both[0] > c.node_cpus || both[1] > c.gpus_of_a_node())
      throw Error(Errc::invalid_config,
                  "node_cpus and node_gpus: a node is too small for a worker "
                  "and a server of type '" +
                      a.name + "'");
  }
  const auto nodes = static_cast<float>(c.node_count());
  capacity_ = {nodes * static_cast<float>(c.node_cpus),
               nodes * static_cast<float>(c.gpus_of_a_node())};
  for (std::int32_t p = 1; p <= c.max_servers; ++p)
    for (std::int32_t w = 1; w <= c.max_workers; ++w) {
      config_servers_.push_back(static_cast<float>(p));
      config_workers_.push_back(static_cast<float>(w));
    }
  node_free_.resize(static_cast<std::size_t>(c.node_count()) * 2);
  place_.resize(demand_.size());
  make_speeds();
}

std::size_t PsCluster::configuration(std::int32_t servers, std::int32_t workers) const {
  return static_cast<std::size_t>((servers - 1) * config_.max_workers + workers - 1);
}

void PsCluster::make_speeds() {
  for (std::size_t t = 0; t < table_->types().size(); ++t) {
    const SpeedTable::Type& type = table_->types()[t];
    const double samples = type.about.epoch_samples;
    const double least = config_.is_compat() ? 0 : std::max(0.0, 0.01 * table_->speed(t, 1, 1));
    const SpeedFit fit =
        config_.speeds == "fitted" ? fit_speeds(measured_points(type)) : SpeedFit{};
    for (std::size_t c = 0; c < config_workers_.size(); ++c) {
      const auto p = static_cast<double>(config_servers_[c]);
      const auto w = static_cast<double>(config_workers_[c]);
      const double epochs_per_s = std::max(least, table_->speed(t, p, w)) / samples;
      speed_.push_back(std::min(epochs_per_s, ClusterLayout::kMostSpeed));
      told_.push_back(static_cast<float>(
          config_.speeds == "fitted" ? fit.samples_per_s(p, w) / samples : speed_.back()));
    }
  }
}

double PsCluster::speed(std::size_t type, std::int32_t servers, std::int32_t workers) const {
  if (servers == 0 || workers == 0) return 0;
  return speed_[type * config_workers_.size() + configuration(servers, workers)];
}

double PsCluster::alone_s(const Job& job, double share) const {
  const auto t = static_cast<std::size_t>(job.input.type);
  const JobType& a = type(job);
  double best = 0;
  for (std::size_t c = 0; c < config_workers_.size(); ++c) {
    bool fits = true;
    for (std::size_t r = 0; r < 2; ++r)
      fits = fits && static_cast<double>(config_workers_[c]) * a.worker[r] +
                             static_cast<double>(config_servers_[c]) * a.server[r] <=
                         share * static_cast<double>(capacity_[r]);
    if (fits || c == 0) best = std::max(best, speed_[t * config_workers_.size() + c]);
  }
  return (config_.is_compat() ? 0 : config_.change_s) + job.input.work / best;
}

void PsCluster::begin_model(const Episode& episode) {
  begin_noise(episode.dynamics);
  slot_ = 0;
  begin_slot();
}

void PsCluster::begin_slot() {
  for (const std::int32_t number : present_) {
    Job& job = jobs_[static_cast<std::size_t>(number)];
    job.last_workers = std::exchange(job.workers, 0);
    job.last_servers = std::exchange(job.servers, 0);
  }
  take_arrivals();
  for (std::size_t i = 0; i < node_free_.size(); i += 2) {
    node_free_[i] = static_cast<float>(config_.node_cpus);
    node_free_[i + 1] = static_cast<float>(config_.gpus_of_a_node());
  }
  std::ranges::fill(place_, 0);
  find_places();
}

bool PsCluster::fits(std::size_t node, const Demand& demand) const {
  return demand[0] <= static_cast<double>(node_free_[2 * node]) &&
         demand[1] <= static_cast<double>(node_free_[2 * node + 1]);
}

std::size_t PsCluster::least_loaded() const {
  std::size_t best = 0;
  float most = -1;
  for (std::size_t node = 0; 2 * node < node_free_.size(); ++node) {
    const float free = node_free_[2 * node] + node_free_[2 * node + 1];
    if (free > most) best = node, most = free;
  }
  return best;
}

/// Within a slot nodes only fill up, so the first node where a task fits never has a lower number.
void PsCluster::find_places() {
  const std::int32_t none = config_.node_count();
  if (config_.is_compat()) {
    const std::size_t node = least_loaded();
    for (std::size_t k = 0; k < place_.size(); ++k)
      place_[k] = fits(node, demand_[k]) ? static_cast<std::int32_t>(node) : none;
    return;
  }
  for (std::size_t k = 0; k < place_.size(); ++k)
    while (place_[k] < none && !fits(static_cast<std::size_t>(place_[k]), demand_[k])) ++place_[k];
}

void PsCluster::list(std::vector<Move>& moves) const {
  moves.clear();
  const std::int32_t none = config_.node_count();
  for (std::int32_t i = 0; i < shown(); ++i) {
    const Job& job = job_at(i);
    const std::int32_t w = job.workers, p = job.servers;
    const bool more_workers = w < config_.max_workers, more_servers = p < config_.max_servers;
    const std::int32_t* const place = &place_[static_cast<std::size_t>(job.input.type) * kKinds];
    if (more_workers && place[0] < none) moves.push_back({MoveKind::worker, i, w + 1, p});
    if (more_servers && place[1] < none) moves.push_back({MoveKind::server, i, w, p + 1});
    if (more_workers && more_servers && place[2] < none)
      moves.push_back({MoveKind::both, i, w + 1, p + 1});
  }
  moves.push_back({});
}

void PsCluster::apply(const Move& move) {
  Job& job = job_at(move.job);
  const std::size_t kind = static_cast<std::size_t>(move.kind) - 1;
  const std::size_t k = static_cast<std::size_t>(job.input.type) * kKinds + kind;
  const auto node = static_cast<std::size_t>(place_[k]);
  for (std::size_t r = 0; r < 2; ++r) node_free_[2 * node + r] -= static_cast<float>(demand_[k][r]);
  job.workers = move.workers;
  job.servers = move.servers;
  ++figures_.events;
  find_places();
}

void PsCluster::idle(double until_s) {
  const double arrival_s = next_arrival_s();
  now_s_ = std::min(arrival_s, until_s);
  if (arrival_s > until_s) return;
  slot_ = std::llround(arrival_s / config_.slot_s);
  begin_slot();
}

void PsCluster::pass(double until_s) {
  if (present_.empty()) return idle(until_s);
  const double slot_end_s = static_cast<double>(slot_ + 1) * config_.slot_s;
  const double end_s = std::min(slot_end_s, until_s), start_s = now_s_;
  double granted = 0;
  for (const std::int32_t number : present_) {
    progress(number, end_s);
    granted += jobs_[static_cast<std::size_t>(number)].workers;
  }
  if (timeline_) timeline_.granted(start_s, granted);
  complete_until(end_s);
  if (timeline_)
    for (const std::int32_t number : present_) {
      const Job& job = jobs_[static_cast<std::size_t>(number)];
      timeline_.grant(start_s, end_s, number, job.workers, job.servers);
    }
  if (done() || end_s < slot_end_s) return;
  ++slot_;
  begin_slot();
}

void PsCluster::progress(std::int32_t number, double until_s) {
  Job& job = jobs_[static_cast<std::size_t>(number)];
  job.granted_since_s = now_s_;
  double start_s = now_s_;
  if (job.workers != job.last_workers || job.servers != job.last_servers) {
    ++job.changes;
    ++figures_.changes;
    if (!config_.is_compat()) start_s = std::min(until_s, now_s_ + config_.change_s);
  }
  double rate = speed(static_cast<std::size_t>(job.input.type), job.servers, job.workers);
  if (config_.speed_noise > 0) {
    Rng draw =
        noise_.split(static_cast<std::uint64_t>(number)).split(static_cast<std::uint64_t>(slot_));
    rate *= 1 + config_.speed_noise * draw.uniform(-1, 1);
  }
  const double left = job.input.work - job.done, possible = rate * (until_s - start_s);
  double end_s = until_s;
  if (rate > 0 && possible >= left) {
    end_s = std::min(until_s, start_s + left / rate);
    completed_.push_back({number, end_s});
  }
  advance(job, std::min(left, possible));
  count_grant(job, end_s - now_s_);
}

ClusterSizes PsCluster::sizes() const {
  const std::int64_t jobs = config_.job_count(), window = config_.window_size();
  return {.ps = true,
          .speeds = config_.speeds != "none",
          .jobs = jobs,
          .window = window,
          .nodes = config_.node_count(),
          .types = static_cast<std::int64_t>(table_->types().size()),
          .moves = 3 * window + 1,
          .configurations = static_cast<std::int64_t>(config_workers_.size()),
          .resources = 2,
          .workers = static_cast<double>(config_.max_workers),
          .servers = static_cast<double>(config_.max_servers)};
}

void PsCluster::write_fixed(const ClusterLayout& l, Row row) const {
  std::ranges::copy(config_workers_, row[l.config_workers].begin());
  std::ranges::copy(config_servers_, row[l.config_servers].begin());
  row.resize(l.types, table_->types().size());
  const auto workers = row[l.type_worker], servers = row[l.type_server];
  for (std::size_t t = 0; t < table_->types().size(); ++t)
    for (std::size_t r = 0; r < 2; ++r) {
      workers[2 * t + r] = static_cast<float>(demand_[t * kKinds][r]);
      servers[2 * t + r] = static_cast<float>(demand_[t * kKinds + 1][r]);
    }
  if (l.type_speed) std::ranges::copy(told_, row[*l.type_speed].begin());
}

}  // namespace park::dl_cluster
