#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/envs/dag_scheduling/cluster.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/envs/dag_scheduling/layout.h"
#include "park/envs/dag_scheduling/observation.h"

namespace park::dag_scheduling {

/// A Spark-like cluster. Jobs are directed acyclic graphs of stages, a stage is a set of equal
/// tasks that may start when its parents have finished. An executor belongs to at most one job and
/// runs one task at a time. Between jobs it moves for a while, and in a new job it warms up. A
/// decision gives executors that have become free to a stage, up to a limit for its job.
///
/// README.md in this folder gives every rule. It also lists the differences of semantics=compat,
/// which reproduces the simulator released with Decima.
///
/// Reward: minus what the objective costs since the decision before (Objective). The episode
/// terminates when its last job is done, and is truncated at Episode::horizon_s. Episode::inputs
/// seeds which jobs arrive when, Episode::dynamics the duration of every task, by job, stage and
/// task.
///
/// Source: H. Mao et al., Learning Scheduling Algorithms for Data Processing Clusters, SIGCOMM
/// 2019.
class DagScheduling final : public Env, public Futures {
 public:
  using Config = DagSchedulingConfig;
  static constexpr const char* kName = kDagSchedulingName;
  /// Reads the workload and the file of arrivals; throws where they are unusable.
  [[nodiscard]] static Spec spec(const Config&);
  /// The workload and the file of arrivals.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config&);

  /// REQUIRES a configuration that parse_config accepts. Throws like spec.
  explicit DagScheduling(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode without a finished job, or without duration, does not define.
  void metrics(std::span<double>) const override;
  /// See Timeline.
  void events(EventSink* sink) override { cluster_.timeline().set(sink); }
  /// Tasks that finished, executors that reached a job, jobs that arrived.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return cluster_.events(); }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// Jobs to come and the tasks not launched are drawn anew; a file of arrivals stays.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;
  [[nodiscard]] bool append_state(std::string& out) const override;
  /// See DagDeclarations.
  [[nodiscard]] std::unique_ptr<Declarations> declarations() const override;

  /// The state, for tests and tools.
  [[nodiscard]] const Cluster& cluster() const noexcept { return cluster_; }

 private:
  explicit DagScheduling(std::shared_ptr<const ClusterModel>);
  DagScheduling(const DagScheduling&) = default;

  Cluster cluster_;
  DagLayout layout_;
  Observation observation_;
  sim::Percentiles percentiles_{};
};

}  // namespace park::dag_scheduling
