#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "park/core/id_vector.h"
#include "park/envs/dag_scheduling/arrival_list.h"
#include "park/envs/dag_scheduling/clock.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/envs/dag_scheduling/durations.h"
#include "park/envs/dag_scheduling/job_stream.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {

/// Everything about a cluster and its jobs that does not change during episodes. Immutable; shared
/// by the environments of a process that have the same configuration.
class ClusterModel {
 public:
  struct Stage {
    std::int32_t tasks;
    std::uint32_t first_child, children;  ///< in child_indices()
    std::uint32_t parents;
    std::uint32_t fits;  ///< bit c: executors of class c can run its tasks
    float cpus, memory;
    double mean_s;      ///< duration of a task: mean over everything measured
    double work_s;      ///< tasks * mean_s
    double critical_s;  ///< its work and the largest chain of work below it
  };
  struct Job {
    std::uint32_t first_stage, stages;  ///< stages count over the whole workload
    std::uint32_t edges;
    std::int64_t tasks;
    double work_s;
    /// The reference of avg_slowdown: the larger of work_s / executors and the longest chain of
    /// stages, each counted with mean_s.
    double ideal_s;
    Ticks slack;  ///< from its arrival to its deadline; kNever where there is none
  };
  struct ExecutorClass {
    std::int32_t size;
    float cpus, memory;
  };

  /// Throws Error where the workload or the file of arrivals is unusable, or a stage of a job fits
  /// no class of executors.
  [[nodiscard]] static std::shared_ptr<const ClusterModel> open(const DagSchedulingConfig&);
  explicit ClusterModel(const DagSchedulingConfig&, std::shared_ptr<const Workload>);
  ClusterModel(const ClusterModel&) = delete;
  ClusterModel& operator=(const ClusterModel&) = delete;

  [[nodiscard]] const DagSchedulingConfig& config() const noexcept { return config_; }
  [[nodiscard]] const Workload& workload() const noexcept { return *workload_; }
  [[nodiscard]] const DurationTable& durations() const noexcept { return durations_; }
  [[nodiscard]] std::span<const ExecutorClass> classes() const noexcept { return classes_; }
  [[nodiscard]] const Job& job(std::uint32_t i) const noexcept { return jobs_[i]; }
  [[nodiscard]] const std::string& job_name(std::uint32_t i) const noexcept {
    return workload_->jobs()[i].name;
  }
  [[nodiscard]] const Stage& stage(std::uint32_t i) const noexcept { return stages_[i]; }
  /// Indices within the job, ascending.
  [[nodiscard]] std::span<const std::uint16_t> children(const Stage& s) const noexcept {
    return {child_indices_.data() + s.first_child, s.children};
  }
  /// REQUIRES that the model outlives the stream.
  [[nodiscard]] JobStreamPlan job_stream() const;
  [[nodiscard]] std::uint32_t jobs_per_episode() const noexcept;
  /// The largest number of stages of a job of the workload.
  [[nodiscard]] std::uint32_t most_stages() const noexcept { return most_stages_; }
  [[nodiscard]] std::uint32_t most_edges() const noexcept { return most_edges_; }

 private:
  void add_job(const Workload::Job&);
  void add_stages(const Workload::Job&);
  /// Sets critical_s and returns the longest chain of stages, each with the mean time of a task.
  double find_chains(const Job&);
  void check_fits() const;

  DagSchedulingConfig config_;
  std::shared_ptr<const Workload> workload_;
  DurationTable durations_;
  ArrivalList arrivals_;
  std::vector<ExecutorClass> classes_;
  IdVector<Job> jobs_;
  IdVector<Stage> stages_;
  std::vector<std::uint16_t> child_indices_;
  std::uint32_t most_stages_ = 0, most_edges_ = 0;
};

}  // namespace park::dag_scheduling
