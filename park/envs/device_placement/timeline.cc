#include "park/envs/device_placement/timeline.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace park::device_placement {

void PlacementTimeline::begin(std::size_t devices, std::size_t nodes, double work_s) {
  lanes_.clear();
  for (std::size_t d = 0; d < devices; ++d) lanes_.push_back("device " + std::to_string(d));
  for (const std::string& lane : lanes_) sink().lane(lane);
  const std::array args{EventArg{"operations", static_cast<double>(nodes)},
                        EventArg{"work_s", work_s}};
  sink().point("graph", 0, "arrival", args);
}

void PlacementTimeline::step(double end_s, double step_s) const {
  sink().value("", "step time (s)", end_s, step_s);
}

void PlacementTimeline::last_step(double begin_s, const Simulator& s,
                                  std::span<const std::int32_t> device) const {
  std::vector<std::size_t> order(device.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Operations without work end when they begin: the topological order separates them.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return s.begin_s()[i]; });
  for (const std::size_t i : order) {
    const auto on = static_cast<std::size_t>(device[i]);
    const double start_s = s.begin_s()[i], end_s = start_s + s.cost_s(i, on);
    const std::array args{EventArg{"operation", static_cast<double>(i)}};
    sink().span(lanes_[on], begin_s + start_s, begin_s + end_s, "operation", args);
  }
}

}  // namespace park::device_placement
