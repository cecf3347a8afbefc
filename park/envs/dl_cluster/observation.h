#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/envs/dl_cluster/layout.h"
#include "park/envs/dl_cluster/training_cluster.h"

namespace park::dl_cluster {

/// An image of a cluster as one row. What never changes is written once. A move rewrites its job,
/// what is free and the moves that are left. The passing of time rewrites all that may change.
class Observation {
 public:
  Observation(const ClusterLayout&, const DlClusterConfig&, const TrainingCluster&);
  Observation(const Observation&);
  Observation& operator=(const Observation&) = delete;

  /// An episode has begun, or time has passed.
  void write(const TrainingCluster&, std::span<const Move> moves);
  /// Nothing but this move was applied since the last call.
  void write_after(const Move&, const TrainingCluster&, std::span<const Move> moves);
  [[nodiscard]] ConstRow row() const noexcept { return image_.row(0); }

 private:
  [[nodiscard]] Row image() noexcept { return image_.row(0); }
  /// The jobs first, first + 1, ..., end - 1 of the row.
  void write_jobs(const TrainingCluster&, std::size_t first, std::size_t end);
  void write_free(const TrainingCluster&);
  void write_moves(const TrainingCluster&, std::span<const Move>);

  /// What type.speed tells of a job of this type with so many workers; 0 without.
  [[nodiscard]] float told_speed(std::int32_t type, std::int32_t workers) const;

  Batch image_;
  ClusterLayout layout_;
  std::vector<std::size_t> rungs_;  // the configuration of so many workers; model=allreduce
};

}  // namespace park::dl_cluster
