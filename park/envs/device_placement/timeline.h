#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/envs/device_placement/simulator.h"
#include "park/sim/timeline_switch.h"

namespace park::device_placement {

/// Reports to an event sink what a timeline of a placement shows. The graph is a point "arrival" at
/// time 0 on the lane "graph". The operations of the last step are spans on the lanes of their
/// devices, "device 0" and so on. With mode=improve there is more than one step: each is a value of
/// the series "step time (s)".
class PlacementTimeline : public sim::TimelineSwitch {
 public:
  /// A new episode; announces the lanes.
  void begin(std::size_t devices, std::size_t nodes, double work_s);
  void step(double end_s, double step_s) const;
  /// The last step, which began at this time.
  void last_step(double begin_s, const Simulator&, std::span<const std::int32_t> device) const;

 private:
  std::vector<std::string> lanes_;
};

}  // namespace park::device_placement
