#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/envs/region_assignment/regions.h"
#include "park/envs/region_assignment/residents.h"
#include "park/sim/timeline_switch.h"

namespace park::region_assignment {

/// Reports to an event sink what a timeline of region_assignment shows. Each region is a lane with
/// the series "used share". Points "arrival", "placed", "rejected", "moved" and "completion" are on
/// the lane "accounts". The series "mean cost per weight" is that of the decisions so far. Without
/// a sink it is false, and nothing may be reported. A sink is set between episodes.
class RegionTimeline : public sim::TimelineSwitch {
 public:
  explicit RegionTimeline(std::size_t regions);

  /// A new episode; announces the lanes.
  void begin() const;
  void arrival(const Account&, std::uint64_t job) const;
  /// `what` happens to an account at a time, in a region.
  void account(const char* what, double time_s, std::uint64_t job, std::size_t region) const;
  void rejected(double time_s, std::uint64_t job) const;
  void used(double time_s, const Regions&, std::size_t region) const;
  void cost(double time_s, double per_weight) const;

 private:
  std::vector<std::string> lanes_;
};

}  // namespace park::region_assignment
