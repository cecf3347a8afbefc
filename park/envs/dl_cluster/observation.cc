// The image of a cluster as one row, kept between decisions. The constructor writes what is fixed by
// the configuration; write and write_after bring the rest up to date. DlCluster calls one of them
// before every decision and hands the row on with Row::keep.
#include "park/envs/dl_cluster/observation.h"

#include <algorithm>

namespace park::dl_cluster {
namespace {

/// The dominant share of what a job holds.
double share_of(const TrainingCluster& cluster, const Job& job) {
  const auto worker = cluster.worker_demand(job), server = cluster.server_demand(job);
  const auto capacity = cluster.capacity();
  double share = 0;
  for (std::size_t r = 0; r < capacity.size(); ++r)
    share = std::max(share, (job.workers * worker[r] + job.servers * server[r]) /
                                static_cast<double>(capacity[r]));
  return std::min(1.0, share);
}

}  // namespace

Observation::Observation(const ClusterLayout& layout, const DlClusterConfig& config,
                         const TrainingCluster& cluster)
    : image_(layout.spec().observation), layout_(layout) {
  const Row row = image_.append();
  row.scalar(layout_.keeps) = config.is_ps() ? 0 : 1;
  row.scalar(layout_.compat) = config.is_compat() ? 1 : 0;
  std::ranges::copy(cluster.capacity(), row[layout_.capacity].begin());
  row.resize(layout_.nodes, static_cast<std::size_t>(config.node_count()));
  cluster.write_fixed(layout_, row);
}

Observation::Observation(const Observation& other)
    : image_(other.image_.record()), layout_(other.layout_) {
  image_.append(other.image_);
}

void Observation::write(const TrainingCluster& cluster, std::span<const Move> moves) {
  const auto jobs = static_cast<std::size_t>(cluster.shown());
  image().scalar(layout_.time_s) = cluster.now_s();
  image().resize(layout_.jobs, jobs);
  write_jobs(cluster, 0, jobs);
  write_free(cluster);
  write_moves(cluster, moves);
}

void Observation::write_after(const Move& move, const TrainingCluster& cluster,
                              std::span<const Move> moves) {
  const auto job = static_cast<std::size_t>(move.job);
  write_jobs(cluster, job, job + 1);
  write_free(cluster);
  write_moves(cluster, moves);
}

void Observation::write_jobs(const TrainingCluster& cluster, std::size_t first, std::size_t end) {
  const ClusterLayout& l = layout_;
  const Row row = image();
  const auto present = cluster.present();
  const auto id = row[l.job_id], type = row[l.job_type];
  const auto age_s = row[l.age_s], remaining = row[l.remaining], work = row[l.remaining_work];
  const auto part = row[l.share], workers = row[l.workers], servers = row[l.servers];
  const auto last_workers = row[l.last_workers], last_servers = row[l.last_servers];
  const auto request_workers = row[l.request_workers], request_servers = row[l.request_servers];
  const auto attained_s = row[l.attained_s], changes = row[l.changes];
  for (std::size_t i = first; i < end; ++i) {
    const Job& job = cluster.jobs()[static_cast<std::size_t>(present[i])];
    const double left = std::max(0.0, job.input.estimate - job.done);
    id[i] = present[i];
    type[i] = cluster.type_of(job);
    age_s[i] = static_cast<float>(cluster.now_s() - job.input.arrival_s);
    remaining[i] = static_cast<float>(left / job.input.estimate);
    work[i] = static_cast<float>(left);
    part[i] = static_cast<float>(share_of(cluster, job));
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

void Observation::write_free(const TrainingCluster& cluster) {
  const Row row = image();
  const auto free = cluster.node_free();
  const std::size_t resources = cluster.capacity().size();
  std::ranges::copy(free, row[layout_.node_free].begin());
  const auto sums = row[layout_.free];
  std::ranges::fill(sums, 0.0F);
  for (std::size_t node = 0; node < free.size(); node += resources)
    for (std::size_t r = 0; r < resources; ++r) sums[r] += free[node + r];
}

/// At the end of an episode there may be no job that a move could point to.
void Observation::write_moves(const TrainingCluster& cluster, std::span<const Move> moves) {
  const ClusterLayout& l = layout_;
  const Row row = image();
  const std::size_t n = cluster.present().empty() ? 0 : moves.size();
  row.resize(l.moves, n);
  const auto job = row[l.move_job], kind = row[l.move_kind];
  const auto workers = row[l.move_workers], servers = row[l.move_servers];
  for (std::size_t i = 0; i < n; ++i) {
    job[i] = moves[i].job;
    kind[i] = static_cast<std::int32_t>(moves[i].kind);
    workers[i] = static_cast<float>(moves[i].workers);
    servers[i] = static_cast<float>(moves[i].servers);
  }
  std::ranges::fill(row[l.move_mask], std::uint8_t{1});
}

}  // namespace park::dl_cluster
