#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/simple_queue/service_system.h"
#include "park/sim/timeline_switch.h"

namespace park::simple_queue {

/// Reports to an event sink what a timeline of simple_queue shows. Every service is a span on the
/// lane of its server ("server 0" and so on). Points "arrival", "refused", "lost" and "completion"
/// are on the lane "arrivals". The series are "busy servers" and "jobs waiting". Times that it gets
/// are in intervals. Without a sink it is false, and nothing may be reported. A sink is set between
/// episodes.
class AdmissionTimeline : public sim::TimelineSwitch {
 public:
  AdmissionTimeline(std::size_t servers, double interval_s);

  /// A new episode; announces the lanes.
  void begin() const;
  void arrival(double time, std::uint64_t job, double reward) const;
  /// The job that asked was not admitted; `what` is "refused" or "lost".
  void turned_away(double time, std::uint64_t job, const char* what) const;
  /// A service ends, or is cut at the episode's end.
  void service(const ServiceSystem::Served&, double reward, bool cut) const;
  void counts(double time, const ServiceSystem&) const;

 private:
  double interval_s_;
  std::vector<std::string> lanes_;
};

}  // namespace park::simple_queue
