#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/simple_queue/service_system.h"
#include "park/sim/timeline_switch.h"

namespace park::simple_queue {

/// Tells an event sink what a timeline of simple_queue shows: a span on the lanes "server 0" .. for
/// every service, points "arrival", "refused", "lost" and "completion" on the lane "arrivals", and
/// the series "busy servers" and "jobs waiting". Times that it gets are in intervals. Without a
/// sink it is false, and nothing may be reported. A sink is set between episodes.
class AdmissionTimeline : public sim::TimelineSwitch {
 public:
  AdmissionTimeline(std::size_t servers, double interval_s);

  /// A new episode; announces the lanes.
  void begin() const;
  void arrival(double time, std::uint64_t job, double reward) const;
  /// What became of the job that asked: "refused" or "lost".
  void turned_away(double time, std::uint64_t job, const char* what) const;
  /// A service ends, or is cut at the episode's end.
  void service(const ServiceSystem::Served&, double reward, bool cut) const;
  void counts(double time, const ServiceSystem&) const;

 private:
  double interval_s_;
  std::vector<std::string> lanes_;
};

}  // namespace park::simple_queue
