#include "agents/heuristic/load_balance/round_robin.h"

namespace park::heuristics {

PolicyInfo RoundRobin::info() {
  return {.name = "round_robin",
          .summary = "the servers in turn",
          .reference = "as nginx and HAProxy do by default",
          .environments = {"load_balance"}};
}

void RoundRobin::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    actions.row(i).scalar(view_.server) =
        static_cast<std::int32_t>(d.asked[i].sequence % view_.servers);
  }
}

}  // namespace park::heuristics
