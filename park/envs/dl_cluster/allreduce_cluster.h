#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "park/envs/dl_cluster/goodput.h"
#include "park/envs/dl_cluster/training_cluster.h"

namespace park::dl_cluster {

/// Jobs that train by ring all-reduce on GPUs, with grants that stay (goodput.h has the speeds). A
/// round of decisions begins at every arrival, every completion and every round_s. A move gives a
/// job another number of GPUs of the ladder, at most once in a round. The job is then placed anew
/// and makes no progress for change_s, but where it is left without GPUs.
///
/// Placement: up to a node's GPUs on the one node with the fewest free ones that suffice. More are
/// put on whole free nodes first. Where that is impossible, on the nodes with the most free ones. A
/// job on several nodes has the slower all-reduce.
class AllReduceCluster final : public TrainingCluster {
 public:
  explicit AllReduceCluster(const DlClusterConfig&);

  [[nodiscard]] std::unique_ptr<TrainingCluster> clone() const override { return copy_of(*this); }
  void list(std::vector<Move>&) const override;
  void apply(const Move&) override;
  void pass(double until_s) override;
  void close() override;

  [[nodiscard]] ClusterSizes sizes() const override;
  [[nodiscard]] std::int32_t type_of(const Job&) const override;
  void write_fixed(const ClusterLayout&, Row) const override;
  [[nodiscard]] std::span<const float> node_free() const override { return node_free_; }
  [[nodiscard]] std::span<const float> capacity() const override { return capacity_; }
  [[nodiscard]] std::span<const double> worker_demand(const Job&) const override { return kOne; }
  [[nodiscard]] std::span<const double> server_demand(const Job&) const override { return kNone; }

 private:
  static constexpr std::array<double, 1> kOne{1}, kNone{0};

  /// What the model keeps of a job.
  struct Placed {
    std::size_t rung = 0;  ///< of its GPUs; REQUIRES some
    bool across_nodes = false;
    std::uint64_t round = 0;  ///< in which it was changed last; 0: never
  };

  void begin_model(const Episode&) override;
  void begin_noise(std::uint64_t dynamics) override { noise_ = Rng(dynamics).split("noise"); }
  [[nodiscard]] double alone_s(const Job&, double share) const override;
  [[nodiscard]] std::span<std::int32_t> places(std::int32_t number);
  void release(std::int32_t number);
  void place(std::int32_t number, std::int32_t gpus);
  /// Takes up to `gpus` of a node for a job; returns how many are still wanted.
  std::int32_t take(std::int32_t number, std::size_t node, std::int32_t gpus);
  [[nodiscard]] double rate(std::int32_t number) const;
  [[nodiscard]] double next_completion_s() const;
  void progress(std::int32_t number, double until_s);
  void report_grants() const;
  /// What a job has held up to then.
  void report_span(std::int32_t number, double until_s) const;

  GoodputTable goodput_;
  std::vector<float> told_;  // [types * stages, rungs]
  std::vector<float> capacity_;

  std::vector<float> node_free_;      // [nodes]
  std::int32_t free_ = 0;             // of all nodes
  std::vector<Placed> placed_;        // [jobs]
  std::vector<std::int32_t> places_;  // [jobs, nodes] GPUs of each job on each node
  std::uint64_t round_ = 1;
  Rng noise_;
};

}  // namespace park::dl_cluster
