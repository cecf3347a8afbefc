#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "park/core/batch.h"

namespace park::test {

/// Hand-made observations of dag_scheduling: what a policy reads is stated or derived here, by the
/// definitions of the environment; every other leaf is zero.
struct ToyStage {
  float tasks = 1, mean_s = 1;
  float left = tasks;    ///< tasks that are not launched
  double ready_s = 0;    ///< negative: a parent has not finished
  bool blocked = false;  ///< not to be chosen: a parent is unsaturated, or chosen in this round
  float committed = 0, moving = 0;
  float cpus = 1, memory = 0;
  [[nodiscard]] float demand() const { return std::max(0.0F, left - committed - moving); }
};

struct ToyJob {
  std::vector<ToyStage> stages;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges{};  ///< parent, child within the job
  float executors = 0, moving = 0, committed = 0;
  bool source = false;
  std::int32_t id = -1;  ///< -1: its place in the list
  double deadline_s = 0;

  [[nodiscard]] float critical_path_s(std::int32_t stage) const {
    float below = 0;
    for (const auto& [parent, child] : edges)
      if (parent == stage) below = std::max(below, critical_path_s(child));
    const ToyStage& s = stages[static_cast<std::size_t>(stage)];
    return s.tasks * s.mean_s + below;
  }
};

struct ToyCluster {
  std::vector<ToyJob> jobs;
  std::vector<float> source = {1};  ///< executors of the source still to be assigned, by class
  std::vector<float> size = {10}, cpus = {1}, memory = {1};  ///< of the classes
  double time_s = 0;
  bool deadlines = false;  ///< the spec is of jobs with deadlines

  /// Appends the observation to a batch of that spec.
  void append_to(Batch& batch) const {
    const Row row = batch.append();
    std::size_t stages = 0, edges = 0;
    for (const ToyJob& job : jobs) {
      stages += job.stages.size();
      edges += job.edges.size();
    }
    row.resize(batch.group("stages"), stages);
    row.resize(batch.group("edges"), edges);
    row.resize(batch.group("jobs"), jobs.size());
    for (std::size_t c = 0; c < batch.columns(); ++c)
      for (std::byte& b : batch.bytes(c, row.index(), 1)) b = std::byte{0};
    write_classes(batch, row);
    row.scalar(batch.field<double>("cluster.time_s")) = time_s;
    std::size_t first = 0, edge = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      write_job(batch, row, j);
      for (std::size_t s = 0; s < jobs[j].stages.size(); ++s)
        write_stage(batch, row, j, s, first + s);
      for (const auto& [parent, child] : jobs[j].edges) {
        const auto base = static_cast<std::int32_t>(first);
        row[batch.field<std::int32_t>("edge.parent")][edge] = base + parent;
        row[batch.field<std::int32_t>("edge.child")][edge++] = base + child;
      }
      first += jobs[j].stages.size();
    }
  }

 private:
  static void set(Batch& batch, Row row, const char* name, std::size_t i, float value) {
    row[batch.field<float>(name)][i] = value;
  }
  [[nodiscard]] float total(const std::vector<float>& by_class) const {
    float sum = 0;
    for (const float n : by_class) sum += n;
    return sum;
  }

  void write_classes(Batch& batch, Row row) const {
    for (std::size_t c = 0; c < size.size(); ++c) {
      set(batch, row, "cluster.executors", c, size[c]);
      set(batch, row, "source.executors", c, source[c]);
      set(batch, row, "class.cpus", c, cpus[c]);
      set(batch, row, "class.memory", c, memory[c]);
    }
  }

  void write_job(Batch& batch, Row row, std::size_t j) const {
    const ToyJob& job = jobs[j];
    float work = 0, left = 0, demand = 0;
    for (const ToyStage& s : job.stages) {
      work += s.tasks * s.mean_s;
      left += s.left * s.mean_s;
      demand += s.demand();
    }
    set(batch, row, "job.stage_count", j, static_cast<float>(job.stages.size()));
    set(batch, row, "job.work_s", j, work);
    set(batch, row, "job.work_left_s", j, left);
    set(batch, row, "job.demand", j, demand);
    set(batch, row, "job.executors", j, job.executors);
    set(batch, row, "job.moving", j, job.moving);
    set(batch, row, "job.committed", j, job.committed);
    const float held = job.executors + job.moving + job.committed;
    const float kept = held - (job.source ? total(source) : 0);
    row[batch.field<std::int32_t>("job.id")][j] =
        job.id >= 0 ? job.id : static_cast<std::int32_t>(j);
    row[batch.field<std::uint8_t>("job.source")][j] = job.source;
    if (deadlines) row[batch.field<double>("info.deadline_s")][j] = job.deadline_s;
    row[batch.field<std::int32_t>("limit.min")][j] = static_cast<std::int32_t>(kept) + 1;
    row[batch.field<std::int32_t>("limit.max")][j] = static_cast<std::int32_t>(total(size));
  }

  void write_stage(Batch& batch, Row row, std::size_t j, std::size_t s, std::size_t at) const {
    const ToyStage& stage = jobs[j].stages[s];
    set(batch, row, "stage.tasks", at, stage.tasks);
    set(batch, row, "stage.mean_duration_s", at, stage.mean_s);
    set(batch, row, "stage.work_s", at, stage.tasks * stage.mean_s);
    set(batch, row, "stage.critical_path_s", at,
        jobs[j].critical_path_s(static_cast<std::int32_t>(s)));
    set(batch, row, "stage.cpus", at, stage.cpus);
    set(batch, row, "stage.memory", at, stage.memory);
    set(batch, row, "stage.tasks_left", at, stage.left);
    set(batch, row, "stage.committed", at, stage.committed);
    set(batch, row, "stage.moving", at, stage.moving);
    row[batch.field<double>("stage.ready_s")][at] = stage.ready_s;
    row[batch.field<std::int32_t>("stage.job")][at] = static_cast<std::int32_t>(j);
    row[batch.field<std::uint8_t>("stage.runnable")][at] = stage.ready_s >= 0 && stage.left > 0;
    bool offered = false;
    for (std::size_t c = 0; c < size.size(); ++c) {
      const bool fits = source[c] > 0 && stage.cpus <= cpus[c] && stage.memory <= memory[c];
      row[batch.field<std::uint8_t>("mask.class")][at * size.size() + c] = fits;
      offered = offered || fits;
    }
    row[batch.field<std::uint8_t>("mask.stage")][at] =
        offered && stage.demand() > 0 && !stage.blocked;
  }
};

}  // namespace park::test
