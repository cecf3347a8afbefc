#include "agents/heuristic/load_balance/shortest_expected_delay.h"

namespace park::heuristics {

PolicyInfo ShortestExpectedDelay::info() {
  return {.name = "shortest_expected_delay",
          .summary = "the server that completes the job first: drain time + size / rate",
          .reference =
              "Banawan, Zeidat, A comparative study of load sharing in heterogeneous "
              "multicomputer systems, 1992",
          .environments = {"load_balance"}};
}

void ShortestExpectedDelay::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const std::span<const float> drain_s = row[view_.drain_s], rate = row[view_.rate];
    const float size = row.scalar(view_.size);
    std::size_t best = 0;
    float least_s = drain_s[0] + size / rate[0];
    for (std::size_t s = 1; s < view_.servers; ++s) {
      const float delay_s = drain_s[s] + size / rate[s];
      if (delay_s < least_s) best = s, least_s = delay_s;
    }
    actions.row(i).scalar(view_.server) = static_cast<std::int32_t>(best);
  }
}

}  // namespace park::heuristics
