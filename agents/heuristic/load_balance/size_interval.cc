#include "agents/heuristic/load_balance/size_interval.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::heuristics {

PolicyInfo SizeInterval::info() {
  return {.name = "size_interval",
          .summary = "each server gets the jobs of one interval of sizes",
          .reference =
              "Harchol-Balter, Crovella, Murta, On choosing a task assignment policy for "
              "a distributed server system, 1999",
          .environments = {"load_balance"}};
}

void SizeInterval::start(std::uint32_t slot, const Episode&, Rng) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot].work.fill(0);
  slots_[slot].total = 0;
}

std::size_t SizeInterval::bin(float size) noexcept {
  if (!(size > 0)) return 0;
  const double octave = std::log2(static_cast<double>(size)) - kLowestOctave;
  return static_cast<std::size_t>(std::clamp(octave * kBinsPerOctave, 0.0, kBins - 1.0));
}

double SizeInterval::place(Slot& slot, float size) noexcept {
  const std::size_t own = bin(size);
  slot.work[own] += static_cast<double>(size);
  slot.total += static_cast<double>(size);
  double below = slot.work[own] / 2;
  for (std::size_t b = 0; b < own; ++b) below += slot.work[b];
  return slot.total > 0 ? below / slot.total : 0;
}

void SizeInterval::share(Slot& slot, std::span<const float> rates) const {
  slot.order.resize(rates.size());
  std::iota(slot.order.begin(), slot.order.end(), 0);
  std::ranges::sort(slot.order, {}, [&](std::int32_t s) {
    return std::pair(rates[static_cast<std::size_t>(s)], s);
  });
  slot.limits.clear();
  double sum = 0;
  for (const std::int32_t s : slot.order) {
    sum += std::pow(static_cast<double>(rates[static_cast<std::size_t>(s)]), balance_);
    slot.limits.push_back(sum);
  }
  for (double& limit : slot.limits) limit /= sum;
}

void SizeInterval::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    Slot& slot = slots_[d.asked[i].slot];
    const ConstRow row = d.observation.row(i);
    if (d.asked[i].sequence == 0) share(slot, row[view_.rate]);
    const double u = place(slot, row.scalar(view_.size));
    const auto limit = std::ranges::lower_bound(slot.limits, u);
    const auto at =
        std::min<std::ptrdiff_t>(limit - slot.limits.begin(), std::ssize(slot.order) - 1);
    actions.row(i).scalar(view_.server) = slot.order[static_cast<std::size_t>(at)];
  }
}

}  // namespace park::heuristics
