// What a configuration and a workload give before any episode: the classes of executors, and the
// figures of jobs and stages, such as work, critical path, ideal time and the classes that fit.
// Jobs are read in the workload's order, the chains of a job from its last stages to its first.
// Models of equal configurations are shared within the process. The environment opens a model;
// Cluster, Observation and the twin's spec read it.
#include "park/envs/dag_scheduling/cluster_model.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "park/core/text.h"
#include "park/files/stamp_cache.h"

namespace park::dag_scheduling {
namespace {

/// What a model is made of; in use, a workload has one address.
struct Origin {
  DagSchedulingConfig config;
  const Workload* workload;
  bool operator==(const Origin&) const = default;
};

}  // namespace

std::shared_ptr<const ClusterModel> ClusterModel::open(const DagSchedulingConfig& config) {
  static files::StampCache<Origin, ClusterModel> cache;
  const std::shared_ptr<const Workload> workload = Workload::open(config.workload);
  std::error_code unread;  // told by who reads the file, if it is needed
  const files::FileStamp arrivals = files::stamp_of(config.arrivals, unread);
  return cache.get({config, workload.get()}, {arrivals},
                   [&] { return std::make_shared<const ClusterModel>(config, workload); });
}

ClusterModel::ClusterModel(const DagSchedulingConfig& config,
                           std::shared_ptr<const Workload> workload)
    : config_(config),
      workload_(std::move(workload)),
      durations_(workload_, {.compat = config.compat(),
                             .inflate = config.inflation == "model",
                             .warmup = to_ticks(config.warmup_delay_s)}) {
  if (config_.arrival == "file") arrivals_ = ArrivalList::read(config_.arrivals, *workload_);
  const std::vector<std::int32_t> sizes = config_.class_sizes();
  for (const ExecutorClassConfig& c : config_.executor_classes())
    classes_.push_back(
        {sizes[classes_.size()], static_cast<float>(c.cpus), static_cast<float>(c.memory)});
  for (const Workload::Job& job : workload_->jobs()) add_job(job);
  check_fits();
}

void ClusterModel::add_job(const Workload::Job& job) {
  Job& plan = jobs_.emplace_back();
  plan.first_stage = job.first_stage;
  plan.stages = job.stages;
  add_stages(job);
  plan.edges = 0;
  for (std::uint32_t i = 0; i < plan.stages; ++i) plan.edges += stage(plan.first_stage + i).parents;
  plan.tasks = 0;
  plan.work_s = 0;
  for (std::uint32_t i = 0; i < plan.stages; ++i) {
    const Stage& s = stage(plan.first_stage + i);
    plan.tasks += s.tasks;
    plan.work_s += s.work_s;
  }
  plan.ideal_s = std::max(find_chains(plan), plan.work_s / config_.executors);
  plan.slack = config_.deadline_factor > 0
                   ? ticks_at_or_after(config_.deadline_factor * plan.ideal_s)
                   : kNever;
  most_stages_ = std::max(most_stages_, plan.stages);
  most_edges_ = std::max(most_edges_, plan.edges);
}

void ClusterModel::add_stages(const Workload::Job& job) {
  const auto stages = workload_->stages(job);
  std::vector<std::vector<std::uint16_t>> children(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const std::uint16_t p : workload_->parents(stages[i]))
      children[p].push_back(static_cast<std::uint16_t>(i));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Workload::Stage& from = stages[i];
    Stage& s = stages_.emplace_back();
    s.tasks = from.tasks;
    s.parents = from.parents;
    s.first_child = static_cast<std::uint32_t>(child_indices_.size());
    s.children = static_cast<std::uint32_t>(children[i].size());
    child_indices_.insert(child_indices_.end(), children[i].begin(), children[i].end());
    s.cpus = from.cpus;
    s.memory = from.memory;
    s.fits = 0;
    for (std::size_t c = 0; c < classes_.size(); ++c)
      if (s.cpus <= classes_[c].cpus && s.memory <= classes_[c].memory) s.fits |= 1u << c;
    s.mean_s = from.mean_duration_s;
    s.work_s = s.tasks * s.mean_s;
    s.critical_s = 0;
  }
}

double ClusterModel::find_chains(const Job& job) {
  Stage* const stages = stages_.data() + job.first_stage;
  std::vector<std::uint32_t> order, parents_left(job.stages);  // every stage after its parents
  for (std::uint32_t i = 0; i < job.stages; ++i) {
    parents_left[i] = stages[i].parents;
    if (parents_left[i] == 0) order.push_back(i);
  }
  for (std::size_t n = 0; n < order.size(); ++n)
    for (const std::uint16_t child : children(stages[order[n]]))
      if (--parents_left[child] == 0) order.push_back(child);
  std::vector<double> chain_s(job.stages, 0);  // of one task per stage
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const std::uint32_t i = *at;
    Stage& s = stages[i];
    for (const std::uint16_t child : children(s)) {
      s.critical_s = std::max(s.critical_s, stages[child].critical_s);
      chain_s[i] = std::max(chain_s[i], chain_s[child]);
    }
    s.critical_s += s.work_s;
    chain_s[i] += s.mean_s;
  }
  return std::ranges::max(chain_s);
}

/// One line: where a class is too small, hundreds of stages do not fit.
void ClusterModel::check_fits() const {
  std::string first;
  std::size_t others = 0;
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    for (std::uint32_t i = 0; i < jobs_[j].stages; ++i) {
      const Stage& s = stage(jobs_[j].first_stage + i);
      if (s.fits != 0) continue;
      if (!first.empty()) {
        ++others;
        continue;
      }
      first = "classes: stage " + std::to_string(i) + " of job '" +
              job_name(static_cast<std::uint32_t>(j)) + "' needs cpus=" + number_text(s.cpus) +
              ", memory=" + number_text(s.memory) + " per task, which no class of executors has";
    }
  if (first.empty()) return;
  if (others > 0) first += "; nor has any what " + std::to_string(others) + " other stages need";
  throw Error(Errc::invalid_config, first);
}

JobStreamPlan ClusterModel::job_stream() const {
  using Kind = JobStreamPlan::Kind;
  return {.kind = config_.arrival == "file"      ? Kind::file
                  : config_.arrival == "poisson" ? Kind::poisson
                                                 : Kind::batch,
          .jobs = jobs_per_episode(),
          .choices = static_cast<std::uint32_t>(jobs_.size()),
          .interval_s = config_.interval_s,
          .whole_milliseconds = config_.compat(),
          .list = arrivals_.entries};
}

std::uint32_t ClusterModel::jobs_per_episode() const noexcept {
  return config_.arrival == "file" ? static_cast<std::uint32_t>(arrivals_.entries.size())
                                   : static_cast<std::uint32_t>(config_.jobs);
}

}  // namespace park::dag_scheduling
