#include "agents/heuristic/load_balance/least_work.h"

namespace park::heuristics {

PolicyInfo LeastWork::info() {
  return {.name = "least_work",
          .summary = "the server with the least work left",
          .reference = "Daley, Certain optimality properties of first-come first-served, 1987",
          .environments = {"load_balance"}};
}

void LeastWork::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    actions.row(i).scalar(view_.server) = smallest(d.observation.row(i)[view_.work]);
  }
}

}  // namespace park::heuristics
