#include "policy.h"

#include <cstddef>

namespace project::newpolicy {

park::PolicyInfo WeightedDelay::info() {
  return {.name = "newpolicy",
          .summary = "the least wait + weight x service time",
          .reference = "shortest expected delay, with a weight",
          .environments = {"load_balance"}};
}

void WeightedDelay::choose(const park::Ask&, park::ConstRow row, park::Row action) {
  const auto rate = row[layout_.rate];
  const auto drain_s = row[layout_.drain_s];
  const float size = row.scalar(layout_.size);
  const auto cost_s = [&](std::size_t s) { return drain_s[s] + weight_ * size / rate[s]; };
  std::size_t best = 0;
  for (std::size_t s = 1; s < rate.size(); ++s)
    if (cost_s(s) < cost_s(best)) best = s;
  action.scalar(layout_.server) = static_cast<std::int32_t>(best);
}

}  // namespace project::newpolicy
