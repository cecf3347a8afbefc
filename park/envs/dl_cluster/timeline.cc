#include "park/envs/dl_cluster/timeline.h"

#include <array>

namespace park::dl_cluster {

void ClusterTimeline::begin(std::size_t jobs) {
  present_ = 0;
  while (lanes_.size() < jobs) lanes_.push_back("job " + std::to_string(lanes_.size()));
}

void ClusterTimeline::arrival(double time_s, std::int32_t job, std::int32_t type, double work) {
  const std::array<EventArg, 3> args{
      {{"job", static_cast<double>(job)}, {"type", static_cast<double>(type)}, {"work", work}}};
  sink().point("jobs", time_s, "arrival", args);
  sink().value("", "jobs in system", time_s, static_cast<double>(++present_));
}

void ClusterTimeline::completion(double time_s, std::int32_t job, double response_s) {
  const std::array<EventArg, 2> args{
      {{"job", static_cast<double>(job)}, {"response_s", response_s}}};
  sink().point("jobs", time_s, "completion", args);
  sink().value("", "jobs in system", time_s, static_cast<double>(--present_));
}

void ClusterTimeline::grant(double start_s, double end_s, std::int32_t job, std::int32_t workers,
                            std::int32_t servers) const {
  if (workers + servers == 0 || !(end_s > start_s)) return;
  const std::array<EventArg, 3> args{{{"job", static_cast<double>(job)},
                                      {"workers", static_cast<double>(workers)},
                                      {"servers", static_cast<double>(servers)}}};
  const std::string what =
      std::to_string(workers) + (servers > 0 ? " + " + std::to_string(servers) : std::string());
  sink().span(lanes_[static_cast<std::size_t>(job)], start_s, end_s, what, args);
}

void ClusterTimeline::granted(double time_s, double workers) const {
  sink().value("", "workers granted", time_s, workers);
}

}  // namespace park::dl_cluster
