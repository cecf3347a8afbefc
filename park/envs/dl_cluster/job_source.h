#pragma once

#include <cstdint>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/dl_cluster/config.h"

namespace park::dl_cluster {

/// What comes from outside about a job.
struct JobInput {
  double arrival_s = 0;  ///< since the first arrival
  std::int32_t type = 0;
  double work = 0;      ///< epochs, or seconds on one GPU
  double estimate = 0;  ///< of the work, as rows tell it
  std::int32_t request_workers = 0, request_servers = 0;
};

/// Draws the jobs of an episode from its inputs alone, each by its number.
class JobSource {
 public:
  /// `epochs`: of each type, as a share of max_epochs (model=ps).
  JobSource(const DlClusterConfig&, std::vector<double> epochs);

  /// In the order of arrival; the first one arrives at 0.
  void draw(std::uint64_t inputs, std::vector<JobInput>& jobs);

 private:
  void draw_ps(const Rng&, std::vector<JobInput>&) const;
  void draw_allreduce(const Rng&, std::vector<JobInput>&);
  [[nodiscard]] std::int32_t arrivals_in(const Rng&, std::uint64_t slot,
                                         std::uint64_t offset) const;
  [[nodiscard]] JobInput ps_job(Rng) const;

  DlClusterConfig config_;
  std::vector<double> epochs_;
  std::vector<std::vector<std::int32_t>> requests_;  // of each type, model=allreduce
  std::vector<double> arrivals_s_;                   // likewise
};

}  // namespace park::dl_cluster
