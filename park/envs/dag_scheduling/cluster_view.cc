#include "park/envs/dag_scheduling/cluster_view.h"

#include <numeric>
#include <string>
#include <utility>

namespace park::dag_scheduling {

ClusterView::ClusterView(const Spec& spec) : layout_(bind_layout<DagLayout>(spec)) {}

void ClusterView::look(ConstRow row) {
  look_at_stages(row);
  look_at_jobs(row);
  time_s_ = row.scalar(layout_.time_s);
  edge_parent_ = row[layout_.edge_parent];
  edge_child_ = row[layout_.edge_child];
  class_size_ = row[layout_.executors];
  source_executors_ = row[layout_.source_executors];
  class_cpus_ = row[layout_.class_cpus];
  class_memory_ = row[layout_.class_memory];
  executors_ = static_cast<std::int32_t>(
      std::min<float>(kMaxExecutors, std::reduce(class_size_.begin(), class_size_.end())));
}

void ClusterView::look_at_stages(ConstRow row) {
  job_of_ = row[layout_.stage_job];
  tasks_left_ = row[layout_.tasks_left];
  to_stage_ = row[layout_.committed];
  moving_to_ = row[layout_.moving];
  mean_duration_s_ = row[layout_.mean_s];
  critical_path_s_ = row[layout_.critical_s];
  cpus_ = row[layout_.cpus];
  memory_ = row[layout_.memory];
  ready_s_ = row[layout_.ready_s];
  runnable_ = row[layout_.runnable];
  legal_ = row[layout_.stage_mask];
  fits_ = row[layout_.class_mask];
}

void ClusterView::look_at_jobs(ConstRow row) {
  id_ = row[layout_.job_id];
  if (DagLayout::told(*layout_.deadline_s)) deadline_s_ = row[*layout_.deadline_s];
  work_ = row[layout_.job_work_s];
  work_left_ = row[layout_.job_work_left_s];
  attached_ = row[layout_.job_executors];
  moving_ = row[layout_.job_moving];
  committed_ = row[layout_.job_committed];
  demand_ = row[layout_.demand];
  limit_min_ = row[layout_.limit_min];
  limit_max_ = row[layout_.limit_max];
  const auto sources = row[layout_.source];
  const auto source = std::ranges::find(sources, std::uint8_t{1});
  source_.reset();
  if (source != sources.end()) source_ = static_cast<std::size_t>(source - sources.begin());
  const auto counts = row[layout_.stage_count];
  first_stage_.resize(counts.size() + 1);
  first_stage_[0] = 0;
  for (std::size_t j = 0; j < counts.size(); ++j)
    first_stage_[j + 1] = first_stage_[j] + static_cast<std::size_t>(counts[j]);
  if (first_stage_.back() != stages())
    throw Error(Errc::invalid_space, "job.stage_count: the jobs have " +
                                         std::to_string(first_stage_.back()) +
                                         " stages, the row has " + std::to_string(stages()));
}

void ClusterView::write(const Assignment& choice, Row action) const {
  action.scalar(layout_.stage) = choice.stage;
  action.scalar(layout_.limit) = choice.limit;
  action.scalar(layout_.executor_class) = choice.executor_class;
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
  const std::size_t job = job_of(stage);
  // A row that contradicts itself still gets a legal answer.
  const std::int32_t limit =
      std::min(std::max(kept(job) + count, limit_min_[job]), limit_max_[job]);
  return {static_cast<std::int32_t>(stage), limit, static_cast<std::int32_t>(c)};
}

Assignment ClusterView::first_legal() const {
  const auto stage = pick_any([](std::size_t) { return 0; });
  return stage ? give(*stage) : Assignment{};
}

}  // namespace park::dag_scheduling
