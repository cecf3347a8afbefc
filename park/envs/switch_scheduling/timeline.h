#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/switch_scheduling/voqs.h"
#include "park/sim/timeline_switch.h"

namespace park::switch_scheduling {

/// Reports to an event sink what a timeline of switch_scheduling shows. A cell that is sent is a
/// span of one slot on the lane of its input, "input 0" and so on. Points "arrival" and
/// "completion" are on the lane "cells"; the series is "cells in the switch". Without a sink it is
/// false, and nothing may be reported. A sink is set between episodes.
class SwitchTimeline : public sim::TimelineSwitch {
 public:
  SwitchTimeline(std::size_t ports, double slot_s);

  /// A new episode; announces the lanes.
  void begin() const;
  void arrival(std::int64_t slot, std::uint64_t number, std::size_t input,
               std::size_t output) const;
  void sent(std::int64_t slot, const Voqs::Cell&, const Crossbar::Pair&) const;
  /// So many cells are present from the beginning of this slot.
  void present(std::int64_t slot, std::uint64_t cells) const;

 private:
  [[nodiscard]] double time_s(std::int64_t slot) const noexcept {
    return static_cast<double>(slot) * slot_s_;
  }

  double slot_s_;
  std::vector<std::string> inputs_, outputs_;  // names of lanes, and of what goes to an output
};

}  // namespace park::switch_scheduling
