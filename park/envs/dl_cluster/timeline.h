#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/sim/timeline_switch.h"

namespace park::dl_cluster {

/// Reports to an event sink what a timeline of dl_cluster shows. Each job is a lane, "job 0" and so
/// on; what it was granted is a span there. Points "arrival" and "completion" are on the lane
/// "jobs". The series are "jobs in system" and "workers granted". Without a sink it is false, and
/// nothing may be reported. A sink is set between episodes.
class ClusterTimeline : public sim::TimelineSwitch {
 public:
  /// A new episode with so many jobs.
  void begin(std::size_t jobs);
  void arrival(double time_s, std::int32_t job, std::int32_t type, double work);
  void completion(double time_s, std::int32_t job, double response_s);
  /// Workers (GPUs) and servers that a job has held.
  void grant(double start_s, double end_s, std::int32_t job, std::int32_t workers,
             std::int32_t servers) const;
  /// Workers granted to all jobs from now on.
  void granted(double time_s, double workers) const;

 private:
  std::vector<std::string> lanes_;
  std::int64_t present_ = 0;
};

}  // namespace park::dl_cluster
