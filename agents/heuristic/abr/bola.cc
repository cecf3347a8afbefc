#include "agents/heuristic/abr/bola.h"

#include <algorithm>
#include <cmath>

namespace park::heuristics {

PolicyInfo Bola::info() {
  return {.name = "bola",
          .summary = "Lyapunov optimisation of utility and stalls from the buffer level",
          .reference =
              "Spiteri, Urgaonkar, Sitaraman, BOLA: near-optimal bitrate adaptation for "
              "online videos, INFOCOM 2016, section IV",
          .environments = {"abr"}};
}

std::int32_t Bola::choose(ConstRow row) const {
  const std::span<const double> rates = row[view_.rate_mbps];
  const double chunk_s = row.scalar(view_.chunk_s);
  const double capacity_s = config_.buffer_s > 0 ? config_.buffer_s : row.scalar(view_.capacity_s);
  const double level = row.scalar(view_.buffer_s) / chunk_s;
  const auto utility = [&](std::size_t r) { return std::log(rates[r] / rates[0]); };
  const double most = std::max(capacity_s / chunk_s - 1, 0.1);
  const double v = most / (utility(view_.rates - 1) + config_.gamma_p);
  const auto worth = [&](std::size_t r) {
    return (v * (utility(r) + config_.gamma_p) - level) / rates[r];
  };
  std::size_t best = 0;
  for (std::size_t r = 1; r < view_.rates; ++r)
    if (worth(r) >= worth(best)) best = r;
  return static_cast<std::int32_t>(best);
}

void Bola::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i)
    actions.row(i).scalar(view_.quality) = choose(d.observation.row(i));
}

}  // namespace park::heuristics
