#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/dl_cluster/config.h"
#include "park/envs/dl_cluster/job_trace.h"

namespace park::dl_cluster {

/// What comes from outside about a job.
struct JobInput {
  double arrival_s = 0;  ///< since the first arrival
  std::int32_t type = 0;
  double work = 0;      ///< epochs, or seconds on one GPU
  double estimate = 0;  ///< of the work, as rows tell it
  std::int32_t request_workers = 0, request_servers = 0;
};

/// Draws the jobs of an episode from its inputs alone, each by its number. With a trace, jobs follow
/// each other as in it, from a drawn one on; types and errors of estimates are drawn. A request is
/// raised to the next rung of the ladder, or cut to the highest one. The work of a job is what so
/// many GPUs, on as few nodes as possible, do in the time that it ran.
class JobSource {
 public:
  /// `epochs`: of each type, as a share of max_epochs (model=ps). Throws what JobTrace::open throws.
  JobSource(const DlClusterConfig&, std::vector<double> epochs);

  /// Users who have a job of this type ask for one of these numbers of GPUs (model=allreduce).
  void set_requests(std::size_t type, std::vector<std::int32_t> numbers) {
    requests_[type] = std::move(numbers);
  }

  /// In the order of arrival; the first one arrives at 0.
  void draw(std::uint64_t inputs, std::vector<JobInput>& jobs);
  /// The same, where so many jobs, one at least, have arrived by `now_s`. The others follow then at
  /// the drawn gaps, with model=ps from the next slot on. A trace from its first job on keeps its
  /// times.
  void draw_after(std::uint64_t inputs, std::size_t arrived, double now_s,
                  std::vector<JobInput>& jobs);

 private:
  void draw_ps(const Rng&, std::vector<JobInput>&) const;
  void draw_allreduce(const Rng&, std::vector<JobInput>&);
  void read_trace();
  void draw_trace(const Rng&, std::vector<JobInput>&) const;
  /// Seconds on one GPU, at most those of the configuration.
  [[nodiscard]] double cut(double work_s) const noexcept;
  [[nodiscard]] JobInput trace_job(Rng, const JobTrace::Job&) const;
  [[nodiscard]] std::int32_t arrivals_in(const Rng&, std::uint64_t slot,
                                         std::uint64_t offset) const;
  [[nodiscard]] JobInput ps_job(Rng) const;

  DlClusterConfig config_;
  std::vector<double> epochs_;
  std::vector<std::vector<std::int32_t>> requests_;  // of each type, model=allreduce
  std::vector<double> arrivals_s_;                   // likewise

  std::shared_ptr<const JobTrace> trace_;  // there may be none
  std::vector<std::int32_t> ladder_;       // GPUs that a job of the trace may ask for
  std::vector<double> mean_speed_;         // [types, rungs] over the whole training
};

}  // namespace park::dl_cluster
