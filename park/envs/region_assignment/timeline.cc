#include "park/envs/region_assignment/timeline.h"

#include <array>
#include <cmath>

namespace park::region_assignment {
namespace {

constexpr const char* kLane = "accounts";

}  // namespace

RegionTimeline::RegionTimeline(std::size_t regions) {
  for (std::size_t k = 0; k < regions; ++k) lanes_.emplace_back(kRegions[k].place.name);
}

void RegionTimeline::begin() const {
  for (const std::string& lane : lanes_) sink().lane(lane);
}

void RegionTimeline::arrival(const Account& a, std::uint64_t job) const {
  const std::array<EventArg, 4> args{
      {{"job", static_cast<double>(job)},
       {"weight", a.weight},
       {"home", static_cast<double>(a.sites[0]), kCities[a.sites[0]].name},
       {"lifetime_s", a.lifetime_s}}};
  const bool leaves = std::isfinite(a.lifetime_s);
  sink().point(kLane, a.arrives_s, "arrival", std::span(args).first(leaves ? 4 : 3));
}

void RegionTimeline::account(const char* what, double time_s, std::uint64_t job,
                             std::size_t region) const {
  const std::array<EventArg, 2> args{
      {{"job", static_cast<double>(job)},
       {"region", static_cast<double>(region), kRegions[region].place.name}}};
  sink().point(kLane, time_s, what, args);
}

void RegionTimeline::rejected(double time_s, std::uint64_t job) const {
  const std::array<EventArg, 1> args{{{"job", static_cast<double>(job)}}};
  sink().point(kLane, time_s, "rejected", args);
}

void RegionTimeline::used(double time_s, const Regions& regions, std::size_t k) const {
  sink().value(lanes_[k], "used share", time_s, regions.used(k) / regions.capacity(k));
}

void RegionTimeline::cost(double time_s, double per_weight) const {
  sink().value("", "mean cost per weight", time_s, per_weight);
}

}  // namespace park::region_assignment
