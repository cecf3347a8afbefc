// The image of the cluster as one row, kept between decisions. Places say where the stages and
// edges of each job lie. update first removes and adds jobs in the order in which they went and
// came. Then it writes the touched stages and jobs, the masks, and the totals. The environment
// calls update before every decision and hands the row on with Row::keep.
#include "park/envs/dag_scheduling/observation.h"

#include <algorithm>
#include <cstring>

namespace park::dag_scheduling {
namespace {

float f32(double v) noexcept { return static_cast<float>(v); }

}  // namespace

Observation::Observation(const DagLayout& layout) : image_(layout.spec().observation), f_(layout) {
  image_.append();
}

Observation::Observation(const Observation& other)
    : image_(other.image_.record()),
      f_(other.f_),
      places_(other.places_),
      order_(other.order_),
      masks_(other.masks_),
      fixed_written_(other.fixed_written_) {
  image_.append(other.image_);
}

void Observation::reset() {
  image_.clear();
  image_.append();
  order_.clear();
  masks_ = {};
  fixed_written_ = false;
}

void Observation::update(Cluster& cluster) {
  for (const JobChange& change : cluster.job_changes())
    change.added ? add(cluster, change.slot) : remove(change.slot);
  write_stages(cluster);
  write_jobs(cluster);
  write_masks(cluster);
  write_cluster(cluster);
  cluster.clear_changes();
}

std::uint32_t Observation::stage_id(const Cluster& cluster, std::int32_t element) const noexcept {
  const auto at = static_cast<std::size_t>(element);
  const std::uint32_t slot = order_[static_cast<std::size_t>(row()[f_.stage_job][at])];
  return cluster.job(slot).first + static_cast<std::uint32_t>(at) - places_[slot].stage;
}

// ---------------------------------------------------------------- jobs that come and go

/// The new job is the last one.
void Observation::add(const Cluster& cluster, std::uint32_t slot) {
  const JobState& job = cluster.job(slot);
  const Row r = image();
  if (slot >= places_.size()) places_.resize(slot + 1);
  Place& place = places_[slot];
  place = {.job = static_cast<std::uint32_t>(order_.size()),
           .stage = static_cast<std::uint32_t>(r.count(f_.stages)),
           .edge = static_cast<std::uint32_t>(r.count(f_.edges)),
           .stages = job.stages,
           .edges = cluster.model().job(job.plan).edges};
  order_.push_back(slot);
  r.resize(f_.jobs, order_.size());
  r.resize(f_.stages, place.stage + place.stages);
  r.resize(f_.edges, place.edge + place.edges);
  add_stages(cluster, job, place);
  add_edges(cluster, job, place);
  r[f_.job_id][place.job] = static_cast<std::int32_t>(job.number);
  r[f_.arrival_s][place.job] = to_seconds(job.arrival);
  r[f_.stage_count][place.job] = f32(job.stages);
  r[f_.job_work_s][place.job] = f32(cluster.model().job(job.plan).work_s);
  r[f_.limit_max][place.job] = cluster.model().config().executors;
  if (f_.deadline_s) r[*f_.deadline_s][place.job] = to_seconds(job.deadline);
  write_job(cluster, slot);
}

void Observation::add_stages(const Cluster& cluster, const JobState& job, const Place& place) {
  const Row r = image();
  const ClusterModel& model = cluster.model();
  const std::size_t classes = cluster.classes();
  for (std::uint32_t i = 0; i < place.stages; ++i) {
    const std::size_t at = place.stage + i;
    const ClusterModel::Stage& plan = model.stage(model.job(job.plan).first_stage + i);
    r[f_.stage_job][at] = static_cast<std::int32_t>(place.job);
    r[f_.tasks][at] = f32(plan.tasks);
    r[f_.known][at] = 1;
    r[f_.work_s][at] = f32(plan.work_s);
    r[f_.critical_s][at] = f32(plan.critical_s);
    r[f_.cpus][at] = plan.cpus;
    r[f_.memory][at] = plan.memory;
    std::ranges::fill(r[f_.class_mask].subspan(at * classes, classes), std::uint8_t{1});
    write_stage(cluster, job.first + i, at);
  }
}

void Observation::add_edges(const Cluster& cluster, const JobState& job, const Place& place) {
  const ClusterModel& model = cluster.model();
  const auto parents = image()[f_.edge_parent], children = image()[f_.edge_child];
  std::size_t at = place.edge;
  for (std::uint32_t i = 0; i < place.stages; ++i)
    for (const std::uint16_t child :
         model.children(model.stage(model.job(job.plan).first_stage + i))) {
      parents[at] = static_cast<std::int32_t>(place.stage + i);
      children[at++] = static_cast<std::int32_t>(place.stage + child);
    }
}

/// Later jobs move down; what points to them follows.
void Observation::remove(std::uint32_t slot) {
  const Place gone = places_[slot];
  erase(f_.jobs, gone.job, 1);
  erase(f_.stages, gone.stage, gone.stages);
  erase(f_.edges, gone.edge, gone.edges);
  order_.erase(order_.begin() + gone.job);
  for (const std::uint32_t later : std::span(order_).subspan(gone.job)) {
    Place& place = places_[later];
    --place.job;
    place.stage -= gone.stages;
    place.edge -= gone.edges;
  }
  const Row r = image();
  for (std::int32_t& job : r[f_.stage_job].subspan(gone.stage)) --job;
  const auto stages = static_cast<std::int32_t>(gone.stages);
  for (std::int32_t& parent : r[f_.edge_parent].subspan(gone.edge)) parent -= stages;
  for (std::int32_t& child : r[f_.edge_child].subspan(gone.edge)) child -= stages;
}

void Observation::erase(GroupId group, std::size_t first, std::size_t count) {
  if (count == 0) return;
  const std::size_t size = image().count(group);
  for (std::size_t c = 0; c < image_.columns(); ++c) {
    if (image_.group_of(c).id != group.id) continue;
    const std::span<std::byte> all = image_.bytes(c, 0, 1);
    const std::size_t element = all.size() / size;
    std::memmove(all.data() + first * element, all.data() + (first + count) * element,
                 (size - first - count) * element);
  }
  image().resize(group, size - count);
}

// ---------------------------------------------------------------- what was touched

void Observation::write_stages(const Cluster& cluster) {
  for (const std::uint32_t id : cluster.touched_stages()) {
    const StageState& s = cluster.stage(id);
    if (s.touched) write_stage(cluster, id, places_[s.job].stage + id - cluster.job(s.job).first);
  }
}

void Observation::write_stage(const Cluster& cluster, std::uint32_t id, std::size_t at) {
  const StageState& s = cluster.stage(id);
  const Row r = image();
  r[f_.mean_s][at] = f32(s.mean_s);
  r[f_.tasks_left][at] = f32(s.tasks - s.launched);
  r[f_.running][at] = f32(s.launched - s.finished);
  r[f_.committed][at] = f32(s.committed);
  r[f_.moving][at] = f32(s.moving);
  r[f_.last_s][at] = f32(to_seconds(s.last_duration));
  r[f_.runnable][at] = s.runnable();
  r[f_.ready_s][at] = s.ready < 0 ? -1 : to_seconds(s.ready);
  write_mask(cluster, s, at);
}

void Observation::write_jobs(const Cluster& cluster) {
  for (const std::uint32_t slot : cluster.touched_jobs())
    if (cluster.job(slot).touched) write_job(cluster, slot);
}

void Observation::write_job(const Cluster& cluster, std::uint32_t slot) {
  const JobState& job = cluster.job(slot);
  const ClusterModel& model = cluster.model();
  Place& place = places_[slot];
  double work_left_s = 0;
  std::int64_t demand = 0;
  for (std::uint32_t id = job.first; id < job.first + job.stages; ++id) {
    const StageState& s = cluster.stage(id);
    work_left_s += (s.tasks - s.launched) * model.stage(s.plan).mean_s;
    demand += std::max(0, s.demand());
  }
  const Row r = image();
  const std::size_t at = place.job;
  r[f_.version][at] = place.version++;
  r[f_.stages_left][at] = f32(job.stages - job.stages_done);
  r[f_.job_tasks_left][at] = f32(static_cast<double>(job.tasks - job.launched));
  r[f_.job_work_left_s][at] = f32(work_left_s);
  r[f_.job_executors][at] = f32(job.executors);
  r[f_.job_moving][at] = f32(job.moving);
  r[f_.job_committed][at] = f32(job.committed);
  r[f_.source][at] = cluster.round().active && cluster.round().job == slot;
  r[f_.demand][at] = f32(static_cast<double>(demand));
  r[f_.limit_min][at] = std::min(cluster.kept(slot) + 1, model.config().executors);
}

/// All of them where they depend on something that changed for every stage.
void Observation::write_masks(const Cluster& cluster) {
  MaskKey key{0, cluster.round().source.runnable_only};
  for (std::size_t c = 0; c < cluster.classes(); ++c)
    if (cluster.round().active && cluster.round().left[c] > 0) key.classes |= 1u << c;
  if (key == masks_) return;
  masks_ = key;
  for (const std::uint32_t slot : order_) {
    const JobState& job = cluster.job(slot);
    for (std::uint32_t i = 0; i < job.stages; ++i)
      write_mask(cluster, cluster.stage(job.first + i), places_[slot].stage + i);
  }
}

void Observation::write_mask(const Cluster& cluster, const StageState& s, std::size_t at) {
  const Row r = image();
  r[f_.stage_mask][at] = cluster.legal(s);
  const std::size_t classes = cluster.classes();
  if (classes == 1) return;  // of the only class there are executors at every decision
  for (std::size_t c = 0; c < classes; ++c)
    r[f_.class_mask][at * classes + c] = cluster.offered(s, c);
}

void Observation::write_cluster(const Cluster& cluster) {
  const Row r = image();
  r.scalar(f_.time_s) = cluster.time_s();
  r.scalar(f_.last_arrival_s) = cluster.last_arrival_s();
  for (std::size_t c = 0; c < cluster.classes(); ++c) {
    r[f_.free][c] = f32(cluster.idle(c));
    r[f_.source_executors][c] = f32(cluster.round().left[c]);
  }
  if (fixed_written_) return;
  fixed_written_ = true;
  r.scalar(f_.moving_delay_s) = f32(cluster.model().config().moving_delay_s);
  r.scalar(f_.warmup_delay_s) = f32(cluster.model().config().warmup_delay_s);
  for (std::size_t c = 0; c < cluster.classes(); ++c) {
    const ClusterModel::ExecutorClass& k = cluster.model().classes()[c];
    r[f_.executors][c] = f32(k.size);
    r[f_.class_cpus][c] = k.cpus;
    r[f_.class_memory][c] = k.memory;
  }
}

}  // namespace park::dag_scheduling
