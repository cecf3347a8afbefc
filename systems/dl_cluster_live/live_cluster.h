#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "park/envs/dl_cluster/training_cluster.h"
#include "systems/dl_cluster_live/config.h"
#include "systems/dl_cluster_live/runs.h"
#include "systems/dl_cluster_live/speeds.h"

namespace park::dl_cluster_live {

/// A job that has failed so often is given up.
inline constexpr std::int32_t kMostFailures = 3;

/// What the simulated cluster has no word for.
struct LiveFigures {
  std::int64_t failures = 0, given_up = 0;  ///< of runs, jobs
  double change_s = 0;       ///< from grants to the steps that used them, all together
  std::int64_t changes = 0;  ///< of which these are the number
};

/// Jobs that really train on the cores of this machine, as the environment of the simulated twin
/// sees them: `pass` lets real time pass. A grant is a number of workers, each a process on one
/// core. A job whose grant changes writes a checkpoint, stops, and trains on from it with its new
/// workers as soon as their cores are free.
///
/// The jobs are those of the simulator for the same inputs. Its types 0 to 4 are the kinds conv,
/// mlp, wide, conv, mlp. Its seconds on one GPU are seconds on one core, and become steps by the
/// speed of one worker.
class LiveCluster final : public dl_cluster::TrainingCluster {
 public:
  /// The runs must outlive it and have as many cores.
  LiveCluster(const DlClusterLiveConfig&, Runs&, JobSpeeds);

  void list(std::vector<dl_cluster::Move>&) const override;
  void apply(const dl_cluster::Move&) override;
  /// Throws Stopped, and what Runs::next throws.
  void pass(double until_s) override;
  /// Ends all processes.
  void close() override;

  [[nodiscard]] const LiveFigures& live_figures() const noexcept { return live_; }
  /// What the layout depends on, without any process.
  [[nodiscard]] static dl_cluster::ClusterSizes sizes_of(const DlClusterLiveConfig&);

  [[nodiscard]] dl_cluster::ClusterSizes sizes() const override { return sizes_of(live_config_); }
  [[nodiscard]] std::int32_t type_of(const dl_cluster::Job& job) const override {
    return kind_of(job);
  }
  void write_fixed(const dl_cluster::ClusterLayout&, Row) const override;
  [[nodiscard]] std::span<const float> node_free() const override { return free_; }
  [[nodiscard]] std::span<const float> capacity() const override { return capacity_; }
  [[nodiscard]] std::span<const double> worker_demand(const dl_cluster::Job&) const override {
    return kOne;
  }
  [[nodiscard]] std::span<const double> server_demand(const dl_cluster::Job&) const override {
    return kNone;
  }

 private:
  static constexpr std::array<double, 1> kOne{1}, kNone{0};

  /// How a job trains.
  struct Training {
    std::int64_t steps = 1;    ///< of all of it
    std::int32_t run = 0;      ///< that it has now; 0: none
    std::int32_t workers = 0;  ///< of the run
    bool stopping = false;     ///< the run
    std::int32_t failures = 0;
    std::optional<double> granted_s{};  ///< when it got a grant that no step has used yet
    std::uint64_t round = 0;            ///< in which it was changed last; 0: never
  };

  void begin_model(const Episode&) override;
  [[nodiscard]] double alone_s(const dl_cluster::Job&, double share) const override;
  /// The kind of the jobs of a type of the simulator.
  [[nodiscard]] static std::int32_t kind_of(std::int32_t type) {
    return type % static_cast<std::int32_t>(kJobKinds.size());
  }
  [[nodiscard]] static std::int32_t kind_of(const dl_cluster::Job& job) {
    return kind_of(job.input.type);
  }
  [[nodiscard]] Training& training(std::int32_t number) {
    return trainings_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] dl_cluster::Job& job(std::int32_t number) {
    return jobs_[static_cast<std::size_t>(number)];
  }
  /// The clock of the cluster.
  [[nodiscard]] double clock_s() const;
  [[nodiscard]] double time_of(const RunEvent&) const;
  /// Stops runs whose grant has changed, and starts those whose cores are free.
  void move_processes();
  void start(std::int32_t number);
  /// Takes what runs report within that real time. Whether decisions are due.
  bool hear(Clock::duration most);
  bool take(const RunEvent&);
  bool take_failure(std::int32_t number);
  void progress(std::int32_t number, std::int64_t step);
  /// Moves the clock of rows and sums to now.
  void settle();
  void release(std::int32_t number);

  DlClusterLiveConfig live_config_;
  Runs& runs_;
  JobSpeeds speeds_;
  std::vector<std::int32_t> ladder_;
  std::array<float, 1> capacity_, free_;
  double begin_s_ = 0;               // of the episode, real
  std::vector<Training> trainings_;  // [jobs]
  std::vector<std::int32_t> lost_;   // jobs given up since the clock moved
  std::uint64_t round_ = 1;
  std::int32_t episode_ = 0;
  LiveFigures live_;
};

}  // namespace park::dl_cluster_live
