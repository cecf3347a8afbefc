// Features of a cluster's state. read goes once over the rows of a batch and keeps for each row its
// sums, for each job its features and its rank among the jobs of the row; job, stage, amount and
// executor_class then write the features of one of them into a row of a network's input. The table
// of groups at the top says by their places which features an ablation leaves out: these stay 0.
#include "agents/net/cluster/dag_features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "agents/net/columns.h"

namespace park::agents {
namespace {

/// log(v) of a normal number above 0, to six digits: 2 atanh((m - 1) / (m + 1)) of the mantissa m in
/// [1, 2), as a series. It is asked for a dozen times per candidate, where the exact one would take
/// a tenth of all time.
float fast_log(float v) {
  const auto bits = std::bit_cast<std::int32_t>(v);
  const auto exponent = static_cast<float>((bits >> 23) - 127);
  const float m = std::bit_cast<float>((bits & 0x7fffff) | 0x3f800000);
  const float x = (m - 1) / (m + 1), x2 = x * x;
  const float series = 1 + x2 * (1.0f / 3 + x2 * (1.0f / 5 + x2 * (1.0f / 7 + x2 / 9)));
  return 0.69314718f * exponent + 2 * x * series;
}

float log_of(float v) { return fast_log(1 + std::max(0.0f, v)); }

// Logarithms of less than this part of the unit, and of more than that many, are cut off.
constexpr float kLeast = 1e-4f, kMost = 1e12f;
// Limits of the unit itself.
constexpr float kLeastUnit = 1e-6f, kMostUnit = 1e18f;

/// The cap of srpt_capped(c=8,s=0.9,scale_s=500) before it is rounded: a scale for what a job of
/// that much work should hold.
float usual_cap(float work_s) { return 0.5f + 8 * std::pow(work_s / 500, 0.9f); }

/// Features that belong together, by their places.
struct FeatureGroup {
  std::string_view name;
  FeaturePlaces places;
};

/// The groups of kFeatureGroups, and first those that come from how long tasks take, or from an
/// order by it.
const std::array<FeatureGroup, 6>& feature_groups() {
  static const std::array<FeatureGroup, 6> groups = {{
      {"durations",
       {.cluster = {3},
        .more = {0, 1},
        .arrivals = {1},
        .job = {0, 6, 7, 8, 10, 11, 12, 14, 16, 17},
        .deadline = {0, 1, 2},
        .stage = {1, 2, 4, 8, 10, 11},
        .amount = {4, 5}}},
      {"graph", {.job = {11}, .stage = {4, 11, 12, 13}}},
      {"ranks", {.job = {6, 7, 8, 16, 17}}},
      {"caps", {.job = {10, 12}, .amount = {3, 4, 5}}},
      {"waves", {.amount = {6, 7, 8}}},
      {"cluster", {.cluster = {0, 1, 2, 3, 4, 5, 6, 7}, .more = {0, 1, 2, 3}, .arrivals = {0, 1}}},
  }};
  return groups;
}

/// Adds the places of a group.
void leave_out(std::string_view name, FeaturePlaces& all) {
  const auto group = std::ranges::find(feature_groups(), name, &FeatureGroup::name);
  if (group == feature_groups().end())
    throw Error(Errc::invalid_config, "without: must be one of " + std::string(kFeatureGroups));
  for (const auto part : {&FeaturePlaces::cluster, &FeaturePlaces::more, &FeaturePlaces::arrivals,
                          &FeaturePlaces::job, &FeaturePlaces::deadline, &FeaturePlaces::stage,
                          &FeaturePlaces::amount}) {
    const std::vector<std::size_t>& more = group->places.*part;
    (all.*part).insert((all.*part).end(), more.begin(), more.end());
  }
}

/// The part of what is offered that is wanted; 0 where nothing is.
float used(float wanted, float offered) { return offered > 0 ? wanted / offered : 0; }

/// Zeros in these places.
void forget(const std::vector<std::size_t>& places, float* features) {
  for (const std::size_t place : places) features[place] = 0;
}

}  // namespace

DagFeatures::DagFeatures(const Spec& spec, const DagFeaturesOptions& options)
    : durations_(options.durations),
      arrivals_(options.arrivals),
      classes_(options.classes),
      deadlines_(options.deadlines),
      unit_(options.unit),
      layout_(bind_layout<dag_scheduling::DagLayout>(spec)) {
  if (!options.durations) leave_out("durations", left_out_);
  if (options.without != "none") leave_out(options.without, left_out_);
  if (deadlines_ && !dag_scheduling::DagLayout::told(*layout_.deadline_s))
    throw Error(Errc::invalid_config,
                "deadlines: the environment tells none; allowed is false, or one with a deadline "
                "of each job");
}

void DagFeatures::read(const Batch& b) {
  batch_ = &b;
  v_ = {all_of(b, layout_.tasks),           all_of(b, layout_.mean_s),
        all_of(b, layout_.critical_s),      all_of(b, layout_.tasks_left),
        all_of(b, layout_.running),         all_of(b, layout_.committed),
        all_of(b, layout_.moving),          all_of(b, layout_.job_work_s),
        all_of(b, layout_.job_work_left_s), all_of(b, layout_.job_tasks_left),
        all_of(b, layout_.job_executors),   all_of(b, layout_.demand),
        all_of(b, layout_.stages_left),     all_of(b, layout_.last_s),
        all_of(b, layout_.stage_count),     all_of(b, layout_.stage_job),
        all_of(b, layout_.limit_min),       all_of(b, layout_.limit_max),
        all_of(b, layout_.edge_parent),     all_of(b, layout_.edge_child),
        all_of(b, layout_.runnable),        all_of(b, layout_.stage_mask),
        all_of(b, layout_.class_mask),      all_of(b, layout_.source),
        all_of(b, layout_.arrival_s)};
  cluster_.assign(b.rows(), {});
  job_.resize(v_.job_left_s.size());
  path_left_s_.assign(job_.size(), 0);
  depth_.assign(v_.tasks.size(), 0);
  unlocks_.assign(v_.tasks.size(), 0);
  wait_s_.assign(v_.tasks.size(), 0);
  parents_left_.assign(v_.tasks.size(), 0);
  for (std::size_t r = 0; r < b.rows(); ++r) {
    read_row(r);
    read_graph(r);
  }
}

/// Edges come by their child, so that where stages are numbered in an order of the graph one pass
/// from the last edge finds all depths. Other jobs take as many passes as it needs, at most one more
/// than there are stages, unless the edges go round in a circle.
void DagFeatures::read_graph(std::size_t row) {
  const auto first = static_cast<std::size_t>(batch_->offsets(layout_.stages)[row]);
  const auto begin = static_cast<std::size_t>(batch_->offsets(layout_.edges)[row]);
  const auto end = static_cast<std::size_t>(batch_->offsets(layout_.edges)[row + 1]);
  const auto finished = [&](std::size_t s) { return v_.left[s] <= 0 && v_.running[s] <= 0; };
  bool ordered = true;
  for (std::size_t e = begin; e < end; ++e) {
    const std::size_t p = first + static_cast<std::size_t>(v_.edge_parent[e]);
    const std::size_t c = first + static_cast<std::size_t>(v_.edge_child[e]);
    ordered = ordered && p < c;
    if (finished(p)) continue;
    ++parents_left_[c];
    const float rest_s = v_.mean_s[p] * (1 + v_.left[p] / std::max(1.0f, v_.running[p]));
    wait_s_[c] = std::max(wait_s_[c], rest_s);
  }
  auto passes = batch_->offsets(layout_.stages)[row + 1] - batch_->offsets(layout_.stages)[row];
  for (bool again = true; again; --passes) {
    if (passes < 0)
      throw Error(Errc::invalid_space,
                  "edge.parent: the edges of row " + std::to_string(row) + " go round in a circle");
    again = false;
    for (std::size_t e = end; e-- > begin;) {
      const std::size_t p = first + static_cast<std::size_t>(v_.edge_parent[e]);
      const std::size_t c = first + static_cast<std::size_t>(v_.edge_child[e]);
      if (finished(p) || depth_[c] + 1 <= depth_[p]) continue;
      depth_[p] = depth_[c] + 1;
      again = !ordered;
    }
  }
  for (std::size_t e = begin; e < end; ++e) {
    const std::size_t p = first + static_cast<std::size_t>(v_.edge_parent[e]);
    const std::size_t c = first + static_cast<std::size_t>(v_.edge_child[e]);
    if (!finished(p) && parents_left_[c] == 1) unlocks_[p] += v_.left[c];
  }
}

float DagFeatures::unit_of(std::size_t first_stage, std::size_t end_stage) const {
  float left = 0, left_s = 0, running = 0, running_s = 0;
  for (std::size_t s = first_stage; s < end_stage; ++s) {
    left += v_.left[s], left_s += v_.left[s] * v_.mean_s[s];
    running += v_.running[s], running_s += v_.running[s] * v_.mean_s[s];
  }
  const float mean_s = left_s > 0 ? left_s / left : running_s > 0 ? running_s / running : 1;
  return std::clamp(mean_s, kLeastUnit, kMostUnit);
}

float DagFeatures::log_time(const Cluster& c, float seconds) const {
  if (unit_ == TimeUnit::second) return log_of(seconds);
  return fast_log(std::clamp(seconds / c.unit_s, kLeast, kMost));
}

float DagFeatures::of_usual(const Cluster& c, float held, float work_s) const {
  if (unit_ == TimeUnit::second) return std::min(3.0f, held / usual_cap(work_s));
  // A share of the executors by work, which grows more slowly than the work.
  const float share = c.mean_work_s > 0 ? work_s / c.mean_work_s : 1;
  const float usual = 0.5f + c.executors / std::max(1.0f, c.jobs) * std::pow(share, 0.75f);
  return fast_log((held + 0.5f) / usual) / 2;
}

/// What only a unit of the row makes comparable: the delays, and how large the cluster is.
void DagFeatures::read_more(ConstRow o, Cluster& c) const {
  const auto delay = [&](const Field<float>& leaf) {
    return dag_scheduling::DagLayout::told(leaf)
               ? log_of(std::min(kMost, o.scalar(leaf) / c.unit_s)) / 3
               : 0;
  };
  c.more = {delay(layout_.moving_delay_s), delay(layout_.warmup_delay_s), log_of(c.executors) / 5,
            log_of(c.jobs) / 5};
  forget(left_out_.more, c.more.data());
}

/// How often jobs come: a policy that has learned several rates would else have to guess it from
/// the jobs that wait.
void DagFeatures::read_arrivals(ConstRow o, Cluster& c) const {
  const auto numbers = o[layout_.job_id];
  const auto newest = std::ranges::max_element(numbers);
  if (newest == numbers.end() || *newest == 0) return;
  const double arrival_s = o[layout_.arrival_s][static_cast<std::size_t>(newest - numbers.begin())];
  if (arrival_s <= 0) return;
  const auto interval_s = static_cast<float>(arrival_s / *newest);
  c.arrivals = {log_time(c, interval_s) / 5,
                std::min(4.0f, c.mean_work_s / (interval_s * c.executors))};
  forget(left_out_.arrivals, c.arrivals.data());
}

void DagFeatures::read_row(std::size_t row) {
  Cluster& c = cluster_[row];
  const ConstRow o = batch_->row(row);
  for (const float n : o[layout_.executors]) c.executors += n;
  float free = 0;
  for (const float n : o[layout_.free]) free += n;
  for (const float n : o[layout_.source_executors]) c.source += n;
  c.first_job = batch_->offsets(layout_.jobs)[row];
  c.jobs = static_cast<float>(o.count(layout_.jobs));
  float choices = 0;
  const auto begin = static_cast<std::size_t>(batch_->offsets(layout_.stages)[row]);
  const auto end = static_cast<std::size_t>(batch_->offsets(layout_.stages)[row + 1]);
  for (std::size_t s = begin; s < end; ++s) {
    choices += v_.mask[s];
    if (v_.left[s] <= 0 && v_.running[s] <= 0) continue;
    float& path = path_left_s_[job_of(row, s)];
    path = std::max(path, v_.path_s[s]);
  }
  if (unit_ == TimeUnit::row_task && durations_) c.unit_s = unit_of(begin, end);
  float demand = 0, work_s = 0, total_s = 0;
  bool own = false;
  for (std::size_t j = static_cast<std::size_t>(c.first_job);
       j < static_cast<std::size_t>(batch_->offsets(layout_.jobs)[row + 1]); ++j) {
    demand += v_.job_demand[j];
    work_s += v_.job_left_s[j];
    total_s += v_.job_work_s[j];
    own = own || v_.job_source[j] != 0;
  }
  const double quiet_s = o.scalar(layout_.time_s) - o.scalar(layout_.last_arrival_s);
  c.features = {c.source / c.executors,
                free / c.executors,
                c.jobs / 20,
                log_time(c, work_s) / 10,
                choices / 50,
                std::min(4.0f, demand / c.executors),
                own ? 1.0f : 0.0f,
                log_time(c, static_cast<float>(quiet_s)) / 5};
  forget(left_out_.cluster, c.features.data());
  c.mean_work_s = total_s / std::max(1.0f, c.jobs);
  read_more(o, c);
  if (arrivals_) read_arrivals(o, c);
  read_jobs(row, c);
}

void DagFeatures::read_jobs(std::size_t row, Cluster& c) {
  const double now_s = batch_->row(row).scalar(layout_.time_s);
  by_work_.clear();
  float total_s = 0;
  const auto begin = static_cast<std::size_t>(c.first_job);
  for (std::size_t j = begin; j < begin + static_cast<std::size_t>(c.jobs); ++j) {
    by_work_.emplace_back(v_.job_left_s[j], j);
    total_s += v_.job_left_s[j];
  }
  std::ranges::sort(by_work_);
  float smaller_s = 0, rank = 0, smaller_demand = 0, smaller_held = 0;
  const float share = total_s > 0 ? 1 / total_s : 0, last = std::max(1.0f, c.jobs - 1);
  for (const auto& [left_s, j] : by_work_) {
    const auto held = static_cast<float>(v_.least[j] - 1);
    job_[j] = {log_time(c, left_s) / 8,
               2 * held / c.executors,
               2 * v_.job_executors[j] / c.executors,
               static_cast<float>(v_.job_source[j]),
               v_.job_stages[j] / 10,
               log_of(v_.job_tasks[j]) / 8,
               left_s * share,
               smaller_s * share,
               rank / last,
               std::min(2.0f, v_.job_demand[j] / c.executors),
               log_time(c, left_s / (held + 1)) / 5,
               log_time(c, path_left_s_[j]) / 8,
               of_usual(c, held, v_.job_work_s[j]),
               log_time(c, static_cast<float>(now_s - v_.arrival_s[j])) / 6,
               log_time(c, v_.job_work_s[j]) / 8,
               v_.job_stage_count[j] / 20,
               std::min(3.0f, smaller_demand / c.executors),
               smaller_held / c.executors};
    forget(left_out_.job, job_[j].data());
    smaller_demand += v_.job_demand[j];
    smaller_held += held;
    smaller_s += left_s;
    ++rank;
  }
}

std::size_t DagFeatures::job_of(std::size_t row, std::size_t stage) const noexcept {
  return static_cast<std::size_t>(cluster_[row].first_job + v_.stage_job[stage]);
}

float DagFeatures::demand(std::size_t stage) const noexcept {
  return v_.left[stage] - v_.committed[stage] - v_.moving[stage];
}

float DagFeatures::offered(ConstRow o, std::size_t stage, std::size_t number) const {
  const auto executors = o[layout_.source_executors];
  return v_.class_mask[stage * executors.size() + number] != 0 ? executors[number] : 0;
}

std::int32_t DagFeatures::most(std::size_t row, std::size_t stage) const {
  const std::size_t j = job_of(row, stage);
  const ConstRow o = batch_->row(row);
  float most = static_cast<float>(v_.largest[j] - v_.least[j] + 1), of_class = 0;
  for (std::size_t k = 0; k < o[layout_.source_executors].size(); ++k)
    of_class = std::max(of_class, offered(o, stage, k));
  most = std::min({most, demand(stage), of_class});
  return std::max(1, static_cast<std::int32_t>(most));
}

std::array<float, DagFeatures::kFit> DagFeatures::fit(std::size_t row, std::size_t stage) const {
  const ConstRow o = batch_->row(row);
  const Cluster& c = cluster_[row];
  const auto local = stage - static_cast<std::size_t>(batch_->offsets(layout_.stages)[row]);
  const float cpus = o[layout_.cpus][local], memory = o[layout_.memory][local];
  const auto class_cpus = o[layout_.class_cpus], class_memory = o[layout_.class_memory];
  float fitting = 0, offers = 0;
  for (std::size_t k = 0; k < class_cpus.size(); ++k) {
    if (class_cpus[k] >= cpus && class_memory[k] >= memory) fitting += o[layout_.executors][k];
    offers += offered(o, stage, k);
  }
  return {used(cpus, std::ranges::max(class_cpus)), used(memory, std::ranges::max(class_memory)),
          fitting / c.executors, c.source > 0 ? offers / c.source : 0};
}

std::array<float, DagFeatures::kDeadline> DagFeatures::deadline(std::size_t row,
                                                                std::size_t job) const {
  const ConstRow o = batch_->row(row);
  const Cluster& c = cluster_[row];
  const double left = o[*layout_.deadline_s][job - static_cast<std::size_t>(c.first_job)] -
                      o.scalar(layout_.time_s);
  const auto left_s = static_cast<float>(left);
  const float distance = log_of(std::min(kMost, std::abs(left_s) / c.unit_s)) / 6;
  const float needed = left > 0 ? v_.job_left_s[job] / (left_s * c.executors) : 0;
  std::array<float, kDeadline> own = {std::copysign(distance, left_s), std::min(3.0f, needed),
                                      left > 0 ? 0.0f : 1.0f};
  forget(left_out_.deadline, own.data());
  return own;
}

void DagFeatures::stage(std::size_t row, std::size_t stage, float* out) const {
  const Cluster& c = cluster_[row];
  const std::size_t j = job_of(row, stage);
  const float wanted = demand(stage), left_s = v_.mean_s[stage] * v_.left[stage];
  const std::array<float, kStage> own = {
      log_of(wanted) / 6,
      log_time(c, v_.mean_s[stage]) / 2,
      log_time(c, left_s) / 8,
      static_cast<float>(v_.runnable[stage]),
      path_left_s_[j] > 0 ? v_.path_s[stage] / path_left_s_[j] : 0,
      2 * v_.running[stage] / c.executors,
      2 * (v_.committed[stage] + v_.moving[stage]) / c.executors,
      2 * std::min(wanted, c.source) / c.executors,
      v_.job_left_s[j] > 0 ? std::min(2.0f, left_s / v_.job_left_s[j]) : 0,
      v_.left[stage] / v_.tasks[stage],
      std::min(3.0f, v_.last_s[stage] / v_.mean_s[stage]),
      log_time(c, v_.runnable[stage] != 0 ? 0.0f : wait_s_[stage]) / 3,
      log_of(unlocks_[stage]) / 6,
      depth_[stage] / 8,
      log_of(v_.tasks[stage]) / 6};
  std::ranges::copy(own, out);
  forget(left_out_.stage, out);
  if (classes_) std::ranges::copy(fit(row, stage), out + kStage);
}

void DagFeatures::job(std::size_t row, std::size_t job, float* out) const {
  std::ranges::copy(job_[job], out);
  out = std::ranges::copy(cluster_[row].features, out + kJob).out;
  if (unit_ == TimeUnit::row_task) out = std::ranges::copy(cluster_[row].more, out).out;
  if (arrivals_) out = std::ranges::copy(cluster_[row].arrivals, out).out;
  if (deadlines_) std::ranges::copy(deadline(row, job), out);
}

void DagFeatures::amount(std::size_t row, std::size_t stage, std::int32_t count, std::int32_t most,
                         float* out) const {
  const Cluster& c = cluster_[row];
  const std::size_t j = job_of(row, stage);
  const auto n = static_cast<float>(count);
  const float all = n + static_cast<float>(v_.least[j] - 1);
  const float at_work = n + v_.running[stage];
  const float waves = std::max(1.0f, std::ceil(v_.left[stage] / at_work));
  const std::array<float, kAmount> own = {2 * n / c.executors,
                                          n / static_cast<float>(most),
                                          2 * all / c.executors,
                                          std::min(3.0f, all * c.jobs / c.executors),
                                          log_time(c, v_.job_left_s[j] / all) / 5,
                                          of_usual(c, all, v_.job_work_s[j]),
                                          log_of(v_.left[stage] / at_work) / 3,
                                          log_of(waves) / 3,
                                          v_.left[stage] / (waves * at_work),
                                          count == most ? 1.0f : 0.0f};
  std::ranges::copy(own, out);
  forget(left_out_.amount, out);
}

void DagFeatures::executor_class(std::size_t row, std::size_t stage, std::size_t number,
                                 float* out) const {
  const ConstRow o = batch_->row(row);
  const Cluster& c = cluster_[row];
  const auto local = stage - static_cast<std::size_t>(batch_->offsets(layout_.stages)[row]);
  const float memory = o[layout_.class_memory][number],
              largest = std::ranges::max(o[layout_.class_memory]);
  const std::array<float, kClass> own = {
      used(o[layout_.cpus][local], o[layout_.class_cpus][number]),
      used(o[layout_.memory][local], memory),
      used(memory, largest),
      o[layout_.executors][number] / c.executors,
      o[layout_.free][number] / c.executors,
      o[layout_.source_executors][number] / c.executors};
  std::ranges::copy(own, out);
}

}  // namespace park::agents
