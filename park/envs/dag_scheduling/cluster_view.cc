#include "park/envs/dag_scheduling/cluster_view.h"

#include <numeric>
#include <utility>

namespace park::dag_scheduling {

ClusterView::Fields::Fields(const Spec& spec) {
  const Batch o(spec.observation), a(spec.action);
  job_of = o.field<std::int32_t>("stage.job");
  tasks_left = o.field<float>("stage.tasks_left");
  to_stage = o.field<float>("stage.committed");
  moving_to = o.field<float>("stage.moving");
  mean_duration_s = o.field<float>("stage.mean_duration_s");
  critical_path_s = o.field<float>("stage.critical_path_s");
  cpus = o.field<float>("stage.cpus");
  memory = o.field<float>("stage.memory");
  ready_s = o.field<double>("stage.ready_s");
  runnable = o.field<std::uint8_t>("stage.runnable");
  legal = o.field<std::uint8_t>("mask.stage");
  fits = o.field<std::uint8_t>("mask.class");
  edge_parent = o.field<std::int32_t>("edge.parent");
  edge_child = o.field<std::int32_t>("edge.child");
  id = o.field<std::int32_t>("job.id");
  stage_count = o.field<float>("job.stage_count");
  work = o.field<float>("job.work_s");
  work_left = o.field<float>("job.work_left_s");
  attached = o.field<float>("job.executors");
  moving = o.field<float>("job.moving");
  committed = o.field<float>("job.committed");
  source = o.field<std::uint8_t>("job.source");
  demand = o.field<float>("job.demand");
  limit_min = o.field<std::int32_t>("limit.min");
  class_size = o.field<float>("cluster.executors");
  source_executors = o.field<float>("source.executors");
  class_cpus = o.field<float>("class.cpus");
  class_memory = o.field<float>("class.memory");
  action_stage = a.field<std::int32_t>("stage");
  action_limit = a.field<std::int32_t>("limit");
  action_class = a.field<std::int32_t>("class");
}

ClusterView::ClusterView(const Spec& spec) : fields_(spec) {}

void ClusterView::look(ConstRow row) {
  look_at_stages(row);
  look_at_jobs(row);
  edge_parent_ = row[fields_.edge_parent];
  edge_child_ = row[fields_.edge_child];
  class_size_ = row[fields_.class_size];
  source_executors_ = row[fields_.source_executors];
  class_cpus_ = row[fields_.class_cpus];
  class_memory_ = row[fields_.class_memory];
  executors_ = static_cast<std::int32_t>(std::reduce(class_size_.begin(), class_size_.end()));
}

void ClusterView::look_at_stages(ConstRow row) {
  job_of_ = row[fields_.job_of];
  tasks_left_ = row[fields_.tasks_left];
  to_stage_ = row[fields_.to_stage];
  moving_to_ = row[fields_.moving_to];
  mean_duration_s_ = row[fields_.mean_duration_s];
  critical_path_s_ = row[fields_.critical_path_s];
  cpus_ = row[fields_.cpus];
  memory_ = row[fields_.memory];
  ready_s_ = row[fields_.ready_s];
  runnable_ = row[fields_.runnable];
  legal_ = row[fields_.legal];
  fits_ = row[fields_.fits];
}

void ClusterView::look_at_jobs(ConstRow row) {
  id_ = row[fields_.id];
  work_ = row[fields_.work];
  work_left_ = row[fields_.work_left];
  attached_ = row[fields_.attached];
  moving_ = row[fields_.moving];
  committed_ = row[fields_.committed];
  demand_ = row[fields_.demand];
  limit_min_ = row[fields_.limit_min];
  const auto sources = row[fields_.source];
  const auto source = std::ranges::find(sources, std::uint8_t{1});
  source_.reset();
  if (source != sources.end()) source_ = static_cast<std::size_t>(source - sources.begin());
  const auto counts = row[fields_.stage_count];
  first_stage_.resize(counts.size() + 1);
  first_stage_[0] = 0;
  for (std::size_t j = 0; j < counts.size(); ++j)
    first_stage_[j + 1] = first_stage_[j] + static_cast<std::size_t>(counts[j]);
}

void ClusterView::write(const Assignment& choice, Row action) const {
  action.scalar(fields_.action_stage) = choice.stage;
  action.scalar(fields_.action_limit) = choice.limit;
  action.scalar(fields_.action_class) = choice.executor_class;
}

std::size_t ClusterView::live_jobs() const {
  return static_cast<std::size_t>(std::ranges::count_if(demand_, [](float d) { return d > 0; }));
}

std::size_t ClusterView::best_fit(std::size_t stage) const {
  std::optional<std::size_t> best;
  const auto size = [this](std::size_t c) { return std::pair(class_memory_[c], class_cpus_[c]); };
  for (std::size_t c = 0; c < classes(); ++c)
    if (offers(stage, c) && (!best || size(c) < size(*best))) best = c;
  return best.value_or(0);
}

Assignment ClusterView::give(std::size_t stage, std::int32_t room, std::size_t c) const {
  const std::int32_t count = std::min({demand(stage), room, source_executors(c)});
  return {static_cast<std::int32_t>(stage), kept(job_of(stage)) + count,
          static_cast<std::int32_t>(c)};
}

Assignment ClusterView::first_legal() const {
  const auto stage = pick_any([](std::size_t) { return 0; });
  return stage ? give(*stage) : Assignment{};
}

}  // namespace park::dag_scheduling
