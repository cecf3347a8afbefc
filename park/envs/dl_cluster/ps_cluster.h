#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "park/envs/dl_cluster/speed_table.h"
#include "park/envs/dl_cluster/training_cluster.h"

namespace park::dl_cluster {

/// Jobs with parameter servers and workers, in slots (DL2: Peng et al., arXiv 1909.06040, section
/// 4, and its public code). Every slot begins without grants. Moves add workers and servers, each
/// to a node where it fits, until the slot is ended. Then a job with w workers and p servers does
/// speed(p, w) slot_s / epoch_samples epochs. A job that completes within a slot completes at that
/// time; what it holds is free from the next slot on.
///
/// - compat: tasks go to the node with the fewest slots in use, the first one among equals, or
///   nowhere. A changed grant costs nothing. A speed below 0 is 0.
/// - correct: tasks go to the first node where they fit. A job whose grant is not that of the slot
///   before makes no progress for change_s. A speed is at least 1 % of that of one worker and one
///   server.
class PsCluster final : public TrainingCluster {
 public:
  PsCluster(const DlClusterConfig&, std::shared_ptr<const SpeedTable>);

  [[nodiscard]] std::unique_ptr<TrainingCluster> clone() const override { return copy_of(*this); }
  void list(std::vector<Move>&) const override;
  void apply(const Move&) override;
  void pass(double until_s) override;

  [[nodiscard]] ClusterSizes sizes() const override;
  [[nodiscard]] std::int32_t type_of(const Job& job) const override { return job.input.type; }
  void write_fixed(const ClusterLayout&, Row) const override;
  [[nodiscard]] std::span<const float> node_free() const override { return node_free_; }
  [[nodiscard]] std::span<const float> capacity() const override { return capacity_; }
  [[nodiscard]] std::span<const double> worker_demand(const Job& job) const override {
    return type(job).worker;
  }
  [[nodiscard]] std::span<const double> server_demand(const Job& job) const override {
    return type(job).server;
  }

 private:
  using Demand = std::array<double, 2>;     // CPU and GPU slots
  static constexpr std::size_t kKinds = 3;  // a worker, a server, both

  void begin_model(const Episode&) override;
  void begin_noise(std::uint64_t dynamics) override { noise_ = Rng(dynamics).split("noise"); }
  [[nodiscard]] double alone_s(const Job&, double share) const override;
  [[nodiscard]] const JobType& type(const Job& job) const {
    return table_->types()[static_cast<std::size_t>(job.input.type)].about;
  }
  void make_speeds();
  /// Epochs per second.
  [[nodiscard]] double speed(std::size_t type, std::int32_t servers, std::int32_t workers) const;
  [[nodiscard]] std::size_t configuration(std::int32_t servers, std::int32_t workers) const;
  void begin_slot();
  void idle(double until_s);
  void progress(std::int32_t number, double until_s);
  /// Finds where each kind of task of each type would go.
  void find_places();
  [[nodiscard]] bool fits(std::size_t node, const Demand&) const;
  [[nodiscard]] std::size_t least_loaded() const;

  std::shared_ptr<const SpeedTable> table_;
  std::vector<double> speed_;  // [types, configurations]
  std::vector<float> told_;    // likewise, what rows tell
  std::vector<float> config_workers_, config_servers_;
  std::vector<Demand> demand_;  // [types, kinds]
  std::vector<float> capacity_;

  std::int64_t slot_ = 0;
  std::vector<float> node_free_;     // [nodes, 2]
  std::vector<std::int32_t> place_;  // [types, kinds] a node, or how many there are: none
  Rng noise_;
};

}  // namespace park::dl_cluster
