#include "park/envs/dag_scheduling/dag_fields.h"

namespace park::dag_scheduling {

DagFields::DagFields(const Batch& b)
    : stages(b.group("stages")), edges(b.group("edges")), jobs(b.group("jobs")) {
  const auto find = [&]<class T>(Field<T>& field, const char* name) { field = b.field<T>(name); };
  find(stage_job, "stage.job");
  find(tasks, "stage.tasks");
  find(mean_s, "stage.mean_duration_s");
  find(known, "stage.duration_known");
  find(work_s, "stage.work_s");
  find(critical_s, "stage.critical_path_s");
  find(cpus, "stage.cpus");
  find(memory, "stage.memory");
  find(tasks_left, "stage.tasks_left");
  find(running, "stage.tasks_running");
  find(committed, "stage.committed");
  find(moving, "stage.moving");
  find(last_s, "stage.last_duration_s");
  find(runnable, "stage.runnable");
  find(ready_s, "stage.ready_s");
  find(stage_mask, "mask.stage");
  find(class_mask, "mask.class");
  find(edge_parent, "edge.parent");
  find(edge_child, "edge.child");
  find(job_id, "job.id");
  find(version, "job.version");
  find(arrival_s, "job.arrival_s");
  find(stage_count, "job.stage_count");
  find(stages_left, "job.stages_left");
  find(job_tasks_left, "job.tasks_left");
  find(job_work_s, "job.work_s");
  find(job_work_left_s, "job.work_left_s");
  find(job_executors, "job.executors");
  find(job_moving, "job.moving");
  find(job_committed, "job.committed");
  find(source, "job.source");
  find(demand, "job.demand");
  find(limit_min, "limit.min");
  find(limit_max, "limit.max");
  find(time_s, "cluster.time_s");
  find(last_arrival_s, "cluster.last_arrival_s");
  find(executors, "cluster.executors");
  find(free, "cluster.free");
  find(source_executors, "source.executors");
  find(class_cpus, "class.cpus");
  find(class_memory, "class.memory");
}

}  // namespace park::dag_scheduling
