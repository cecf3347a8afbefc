#include "park/envs/switch_scheduling/timeline.h"

#include <array>

namespace park::switch_scheduling {

SwitchTimeline::SwitchTimeline(std::size_t ports, double slot_s) : slot_s_(slot_s) {
  for (std::size_t i = 0; i < ports; ++i) {
    inputs_.push_back("input " + std::to_string(i));
    outputs_.push_back("to output " + std::to_string(i));
  }
}

void SwitchTimeline::begin() const {
  for (const std::string& lane : inputs_) sink().lane(lane);
}

void SwitchTimeline::arrival(std::int64_t slot, std::uint64_t number, std::size_t input,
                             std::size_t output) const {
  const std::array<EventArg, 3> args{{{"job", static_cast<double>(number)},
                                      {"input", static_cast<double>(input)},
                                      {"output", static_cast<double>(output)}}};
  sink().point("cells", time_s(slot), "arrival", args);
}

void SwitchTimeline::sent(std::int64_t slot, const Voqs::Cell& cell,
                          const Crossbar::Pair& pair) const {
  const auto delay = static_cast<double>(slot + 1 - cell.slot);
  const std::array<EventArg, 2> args{
      {{"job", static_cast<double>(cell.number)}, {"delay_slots", delay}}};
  sink().span(inputs_[pair.input], time_s(slot), time_s(slot + 1), outputs_[pair.output], args);
  sink().point("cells", time_s(slot + 1), "completion", args);
}

void SwitchTimeline::present(std::int64_t slot, std::uint64_t cells) const {
  sink().value("", "cells in the switch", time_s(slot), static_cast<double>(cells));
}

}  // namespace park::switch_scheduling
