#include "agents/heuristic/load_balance/shortest_queue.h"

namespace park::heuristics {

PolicyInfo ShortestQueue::info() {
  return {.name = "shortest_queue",
          .summary = "the server with the fewest jobs",
          .reference = "Winston, Optimality of the shortest line discipline, 1977",
          .environments = {"load_balance"}};
}

void ShortestQueue::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    actions.row(i).scalar(view_.server) = smallest(d.observation.row(i)[view_.jobs]);
  }
}

}  // namespace park::heuristics
