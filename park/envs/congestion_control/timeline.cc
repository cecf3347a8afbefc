#include "park/envs/congestion_control/timeline.h"

#include <array>

namespace park::congestion_control {

void FlowTimeline::begin(std::size_t flows) {
  for (std::size_t i = lanes_.size(); i < flows; ++i) lanes_.push_back("flow " + std::to_string(i));
  for (std::size_t i = 0; i < flows; ++i) sink().lane(lanes_[i]);
}

void FlowTimeline::arrival(double time_s, std::size_t flow, double round_trip_s) const {
  const std::array<EventArg, 2> args{
      {{"flow", static_cast<double>(flow)}, {"round_trip_s", round_trip_s}}};
  sink().point(lanes_[flow], time_s, "arrival", args);
}

void FlowTimeline::link(double time_s, double capacity_mbps, double queue_ms) const {
  sink().value("", "capacity, Mbit/s", time_s, capacity_mbps);
  sink().value("", "queueing delay, ms", time_s, queue_ms);
}

void FlowTimeline::flow(double time_s, std::size_t flow, double sent_mbps, double acked_mbps,
                        double lost) const {
  sink().value(lanes_[flow], "sent, Mbit/s", time_s, sent_mbps);
  sink().value(lanes_[flow], "delivered, Mbit/s", time_s, acked_mbps);
  sink().value(lanes_[flow], "lost, packets", time_s, lost);
}

}  // namespace park::congestion_control
