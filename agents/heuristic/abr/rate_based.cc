#include "agents/heuristic/abr/rate_based.h"

namespace park::heuristics {

PolicyInfo RateBased::info() {
  return {.name = "rb",
          .summary = "the highest rate below the harmonic mean of the last throughputs",
          .reference =
              "Mao, Netravali, Alizadeh, Neural Adaptive Video Streaming with Pensieve, "
              "SIGCOMM 2017, section 5.1",
          .environments = {"abr"}};
}

void RateBased::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const double mbps =
        harmonic_mean(row[view_.throughput_mbps], static_cast<std::size_t>(config_.past));
    actions.row(i).scalar(view_.quality) =
        highest_rate(row[view_.rate_mbps], config_.safety * mbps);
  }
}

}  // namespace park::heuristics
