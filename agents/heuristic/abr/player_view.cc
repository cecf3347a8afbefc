#include "agents/heuristic/abr/player_view.h"

#include <algorithm>

namespace park::heuristics {

PlayerView::PlayerView(const Spec& spec) {
  const Batch o(spec.observation), a(spec.action);
  rate_mbps = o.field<double>("rate.mbps");
  score = o.field<double>("rate.score");
  stall_penalty = o.field<double>("qoe.stall_penalty");
  chunk_s = o.field<double>("chunk.duration_s");
  capacity_s = o.field<double>("buffer.capacity_s");
  buffer_s = o.field<double>("buffer.level_s");
  left = o.field<float>("chunk.left");
  throughput_mbps = o.field<double>("history.throughput_mbps");
  bytes = o.field<float>("chunk.bytes");
  later_bytes = o.field<float>("chunk.later_bytes");
  last = o.field<std::int32_t>("last.quality");
  quality = a.field<std::int32_t>("quality");
  rates = rate_mbps.width;
  past = throughput_mbps.width;
  ahead = 1 + later_bytes.width / rates;
}

double harmonic_mean(std::span<const double> values, std::size_t n) noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (const double v : values.last(std::min(n, values.size()))) {
    if (!(v > 0)) continue;
    sum += 1 / v;
    ++count;
  }
  return count == 0 ? 0 : static_cast<double>(count) / sum;
}

std::int32_t highest_rate(std::span<const double> rate_mbps, double mbps) noexcept {
  std::size_t best = 0;
  for (std::size_t r = 1; r < rate_mbps.size(); ++r)
    if (rate_mbps[r] <= mbps) best = r;
  return static_cast<std::int32_t>(best);
}

}  // namespace park::heuristics
