#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dl_inference/application.h"
#include "park/sim/timeline_switch.h"

namespace park::dl_inference {

/// Reports to an event sink what a timeline of dl_inference shows. Each application has a lane of
/// its name: its batches are spans of that name, with their number in the episode. Its requests are
/// points "arrival", "completion" and "dropped", and its series are "waiting requests" and "device
/// time (s)". The series "running mean of slowdown" is of all requests. Without a sink it is false,
/// and nothing may be reported. A sink is set between episodes.
class InferenceTimeline : public sim::TimelineSwitch {
 public:
  explicit InferenceTimeline(const std::vector<Application>& apps);

  /// A new episode; announces the lanes. Spans end at the horizon at the latest.
  void begin(double horizon_s);
  void arrival(double time_s, std::size_t app, std::uint64_t waiting);
  /// A batch starts; `used_s` is the device time of the application when it ends.
  void batch(std::size_t app, double start_s, double end_s, std::size_t requests,
             std::uint64_t waiting, double used_s);
  /// The requests of a batch, by arrival time, are done.
  void done(std::size_t app, double time_s, std::span<const double> arrivals_s);
  /// So many of the oldest requests have left undone.
  void dropped(std::size_t app, double time_s, std::uint64_t requests, std::uint64_t waiting);

 private:
  std::vector<std::string> lanes_;
  std::vector<double> single_s_;
  double horizon_s_ = 0, slowdowns_ = 0;
  std::uint64_t arrived_ = 0, completed_ = 0, batches_ = 0;
};

}  // namespace park::dl_inference
