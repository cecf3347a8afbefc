#pragma once

#include <cstddef>
#include <span>

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

  Batch image_;
  ClusterLayout layout_;
};

}  // namespace park::dl_cluster
