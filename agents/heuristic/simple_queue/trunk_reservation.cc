#include "agents/heuristic/simple_queue/trunk_reservation.h"

namespace park::heuristics {

PolicyInfo TrunkReservation::info() {
  return {.name = "trunk_reservation",
          .summary = "jobs for which enough servers are free: the more, the less they pay",
          .reference = "Miller, A queueing reward system with several customer classes, 1969",
          .environments = {"simple_queue"}};
}

void TrunkReservation::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const auto highest = static_cast<double>(view_.highest(row));
    const double part = highest > 0 ? static_cast<double>(row.scalar(view_.reward)) / highest : 1.0;
    const auto room = static_cast<double>(view_.room(row));
    actions.row(i).scalar(view_.admit) = room > reserved_ * (1 - part) ? 1 : 0;
  }
}

}  // namespace park::heuristics
