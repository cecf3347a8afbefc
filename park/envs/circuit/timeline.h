#pragma once

#include "park/core/events.h"
#include "park/envs/circuit/topology.h"
#include "park/sim/timeline_switch.h"

namespace park::circuit {

/// Reports to an event sink what a timeline of circuit shows. The specification is the point
/// "arrival" of the lane "specification", with the requirements. A simulation is a span on the lane
/// "simulator". The series are "score" and "best score".
class SizingTimeline : public sim::TimelineSwitch {
 public:
  void begin(const std::array<double, kFigures>& requirements, const Conditions&) const;
  void simulation(double start_s, double end_s, double score, double best) const;
};

}  // namespace park::circuit
