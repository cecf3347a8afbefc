#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/sim/timeline_switch.h"

namespace park::congestion_control {

/// Reports to an event sink. Each flow's begin is a point "arrival" on its lane. There are series
/// of each flow's sending rate, delivery and losses, and series of the link's capacity and queueing
/// delay. Without a sink it is false, and nothing may be reported.
class FlowTimeline : public sim::TimelineSwitch {
 public:
  void begin(std::size_t flows);
  void arrival(double time_s, std::size_t flow, double round_trip_s) const;
  void link(double time_s, double capacity_mbps, double queue_ms) const;
  void flow(double time_s, std::size_t flow, double sent_mbps, double acked_mbps,
            double lost) const;

 private:
  std::vector<std::string> lanes_;
};

}  // namespace park::congestion_control
