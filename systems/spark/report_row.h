#pragma once

#include <cstdint>

#include "park/core/batch.h"
#include "park/envs/dag_scheduling/layout.h"
#include "systems/spark/cluster_report.h"

namespace park::spark {

/// Writes what a driver told as an observation of dag_scheduling.
class ReportRow {
 public:
  /// REQUIRES the spec of a cluster.
  explicit ReportRow(const Spec&);
  /// `last_arrival_s` is that of the last job that arrived so far.
  void write(const ClusterReport&, double last_arrival_s);
  [[nodiscard]] ConstRow row() const noexcept { return image_.row(0); }
  [[nodiscard]] const dag_scheduling::DagLayout& layout() const noexcept { return f_; }

 private:
  void write_stages(const ClusterReport&, Row);
  void write_edges(const ClusterReport&, Row);
  void write_job(const ClusterReport&, std::size_t job, Row);
  void write_cluster(const ClusterReport&, Row);

  Batch image_;
  dag_scheduling::DagLayout f_;
  std::int32_t version_ = 0;  // of every job: rises with each row
};

}  // namespace park::spark
