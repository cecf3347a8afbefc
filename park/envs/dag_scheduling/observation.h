#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/batch.h"
#include "park/core/id_vector.h"
#include "park/envs/dag_scheduling/cluster.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::dag_scheduling {

/// An image of the cluster as one row. It is patched after changes: stages and jobs that were
/// touched, elements of a job that came or went. Jobs are in order of arrival, each with its stages
/// and edges in one piece.
class Observation {
 public:
  explicit Observation(const DagLayout&);
  Observation(const Observation&);
  Observation& operator=(const Observation&) = delete;

  void reset();
  /// Brings the image up to date and forgets the cluster's changes.
  void update(Cluster&);
  [[nodiscard]] ConstRow row() const noexcept { return image_.row(0); }
  /// The cluster's stage id of an element of `stages`. REQUIRES an update since the last change.
  [[nodiscard]] std::uint32_t stage_id(const Cluster&, std::int32_t element) const noexcept;

 private:
  /// Where a job's elements are.
  struct Place {
    std::uint32_t job = 0, stage = 0, edge = 0;  // first element of each group
    std::uint32_t stages = 0, edges = 0;         // how many
    std::int32_t version = 0;
  };
  /// The values that the masks of untouched stages depend on.
  struct MaskKey {
    std::uint32_t classes = 0;  // of which the source has executors
    bool runnable_only = false;
    bool operator==(const MaskKey&) const = default;
  };

  [[nodiscard]] Row image() noexcept { return image_.row(0); }
  void add(const Cluster&, std::uint32_t slot);
  void add_stages(const Cluster&, const JobState&, const Place&);
  void add_edges(const Cluster&, const JobState&, const Place&);
  void remove(std::uint32_t slot);
  void erase(GroupId, std::size_t first, std::size_t count);
  void write_stages(const Cluster&);
  void write_stage(const Cluster&, std::uint32_t id, std::size_t at);
  void write_jobs(const Cluster&);
  void write_job(const Cluster&, std::uint32_t slot);
  void write_masks(const Cluster&);
  void write_mask(const Cluster&, const StageState&, std::size_t at);
  void write_cluster(const Cluster&);

  Batch image_;
  DagLayout f_;
  IdVector<Place> places_;         // by slot
  IdVector<std::uint32_t> order_;  // slots by arrival, as in the image
  MaskKey masks_;
  bool fixed_written_ = false;
};

}  // namespace park::dag_scheduling
