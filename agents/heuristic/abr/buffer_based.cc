#include "agents/heuristic/abr/buffer_based.h"

#include <algorithm>

namespace park::heuristics {

PolicyInfo BufferBased::info() {
  return {.name = "bb",
          .summary = "the rate follows the level of the buffer",
          .reference = "Huang et al., A buffer-based approach to rate adaptation, SIGCOMM 2014",
          .environments = {"abr"}};
}

void BufferBased::act(const Decisions& d, Batch& actions) {
  const auto highest = static_cast<double>(view_.rates - 1);
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const double buffer_s = d.observation.row(i).scalar(view_.buffer_s);
    const double share = std::clamp((buffer_s - config_.reservoir_s) / config_.cushion_s, 0.0, 1.0);
    actions.row(i).scalar(view_.quality) = static_cast<std::int32_t>(highest * share);
  }
}

}  // namespace park::heuristics
