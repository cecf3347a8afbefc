#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/space.h"
#include "park/envs/dl_cluster/config.h"
#include "park/envs/dl_cluster/layout.h"
#include "park/envs/dl_cluster/observation.h"
#include "park/envs/dl_cluster/training_cluster.h"
#include "park/sim/percentiles.h"

namespace park::dl_cluster {

/// Elastic training jobs on a cluster: which job gets how many workers, and how many parameter
/// servers, or GPUs.
///
/// Decisions are moves, one after the other, at one moment: each changes the grant of one job. When
/// the end is taken, or nothing else is left to do, time passes. With model=ps it passes to the end
/// of the slot (see PsCluster). With model=allreduce it passes to the next arrival, completion or
/// round (see AllReduceCluster). Moments at which nothing may be done are not asked about.
///
/// Reward `jct`: minus the integral of the jobs in the system since the decision before, in
/// job-hours. If an episode ends by itself, rewards sum to minus the sum of all times from arrival
/// to completion. Reward `lost`: the same plus the hours that the work that was done takes jobs
/// that are alone at their best speed. It is `jct` with a potential (Ng, Harada, Russell, ICML
/// 1999). The same policies are best, and a period already shows the worth of its grants. Reward
/// `paper`: the sum over jobs of the shares of their work that were done in the slot. The episode
/// terminates with the last completion; at Episode::horizon_s, or after max_slots, it is truncated.
/// Episode::inputs seeds the jobs, Episode::dynamics the noise of speeds.
///
/// Source: Peng et al., DL2, arXiv 1909.06040 (model=ps); Qiao et al., Pollux, OSDI 2021
/// (model=allreduce).
class DlCluster final : public Env, public Futures {
 public:
  using Config = DlClusterConfig;
  static constexpr const char* kName = kDlClusterName;
  /// Reads the table. Throws what SpeedTable::open throws.
  [[nodiscard]] static Spec spec(const Config&);
  /// The table, where it is a file.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config&);

  /// REQUIRES a configuration that parse_config accepts. Throws where its table is unusable.
  explicit DlCluster(const Config&);
  /// With a cluster that is not one of the two models.
  DlCluster(const Config&, std::unique_ptr<TrainingCluster>);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode without a completed job does not define.
  void metrics(std::span<double>) const override;
  /// See ClusterTimeline.
  void events(EventSink* sink) override { cluster_->timeline().set(sink); }
  /// Arrivals, completions and changes of grants.
  [[nodiscard]] std::uint64_t event_count() const noexcept override {
    return cluster_->figures().events;
  }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// The jobs to come and the noise are drawn anew; the work of jobs that are there stays.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  DlCluster(const DlCluster&, std::unique_ptr<TrainingCluster> copy);
  Outcome pass();
  /// What rewards add up, now.
  [[nodiscard]] double paid() const;

  DlClusterConfig config_;
  std::unique_ptr<TrainingCluster> cluster_;
  ClusterLayout layout_;
  Observation observation_;
  double limit_s_ = 0;
  std::vector<Move> moves_;
  sim::PercentileSearch search_;
  sim::Percentiles percentiles_{};
};

}  // namespace park::dl_cluster
