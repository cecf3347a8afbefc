#include "agents/heuristic/simple_queue/admit_all.h"

namespace park::heuristics {

PolicyInfo AdmitAll::info() {
  return {.name = "admit_all",
          .summary = "every job, as long as there is room",
          .reference = "complete sharing: Erlang, 1917",
          .environments = {"simple_queue"}};
}

void AdmitAll::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) actions.row(i).scalar(view_.admit) = 1;
}

}  // namespace park::heuristics
