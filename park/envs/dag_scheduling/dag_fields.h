#pragma once

#include <cstdint>

#include "park/core/batch.h"

namespace park::dag_scheduling {

/// The leaves of an observation of a cluster, simulated or running.
struct DagFields {
  explicit DagFields(const Batch&);
  GroupId stages, edges, jobs;
  Field<std::int32_t> stage_job, edge_parent, edge_child, job_id, version, limit_min, limit_max;
  Field<float> tasks, mean_s, work_s, critical_s, cpus, memory;
  Field<float> tasks_left, running, committed, moving, last_s;
  Field<double> ready_s, arrival_s;
  Field<std::uint8_t> known, runnable, stage_mask, class_mask, source;
  Field<float> stage_count, stages_left, job_tasks_left, job_work_s, job_work_left_s;
  Field<float> job_executors, job_moving, job_committed, demand;
  Field<double> time_s, last_arrival_s;
  Field<float> executors, free, source_executors, class_cpus, class_memory;
};

}  // namespace park::dag_scheduling
