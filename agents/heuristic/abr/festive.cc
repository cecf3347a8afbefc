#include "agents/heuristic/abr/festive.h"

#include <algorithm>
#include <cmath>

namespace park::heuristics {

PolicyInfo Festive::info() {
  return {.name = "festive",
          .summary = "gradual and delayed switches towards a part of the mean throughput",
          .reference =
              "Jiang, Sekar, Zhang, Improving fairness, efficiency, and stability in "
              "HTTP-based adaptive video streaming with FESTIVE, CoNEXT 2012",
          .environments = {"abr"}};
}

void Festive::start(std::uint32_t slot, const Episode&, Rng) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot] = {};
}

/// Takes down the chunk that has arrived.
void Festive::see(Slot& s, ConstRow row) const {
  const std::int32_t last = row.scalar(view_.last);
  s.at_level = s.chunks > 0 && s.quality.back() == last ? s.at_level + 1 : 1;
  std::shift_left(s.throughput_mbps.begin(), s.throughput_mbps.end(), 1);
  std::shift_left(s.quality.begin(), s.quality.end(), 1);
  s.throughput_mbps.back() = row[view_.throughput_mbps].back();
  s.quality.back() = last;
  s.chunks = std::min(s.chunks + 1, s.quality.size());
}

double Festive::switches(const Slot& s, double chunk_s) const {
  const auto window = static_cast<std::size_t>(config_.window_s / chunk_s);
  const std::size_t n = std::min({window, s.chunks - 1, s.quality.size() - 1});
  double count = 0;
  for (std::size_t i = s.quality.size() - n; i < s.quality.size(); ++i)
    count += s.quality[i] == s.quality[i - 1] ? 0 : 1;
  return count;
}

std::int32_t Festive::choose(const Slot& s, ConstRow row) const {
  const std::span<const double> rates = row[view_.rate_mbps];
  const double mean_mbps = harmonic_mean(s.throughput_mbps, kPast);
  const std::int32_t now = s.quality.back(), target = highest_rate(rates, config_.p * mean_mbps);
  std::int32_t next = now;
  if (target < now) next = now - 1;
  if (target > now && s.at_level > now) next = now + 1;  // level k is encoding k - 1
  if (next == now) return now;
  const auto mbps = [&](std::int32_t q) { return rates[static_cast<std::size_t>(q)]; };
  const double reference = std::min(mean_mbps, mbps(next));
  const double stay = config_.alpha * std::abs(mbps(now) / reference - 1);
  const double go = config_.alpha * std::abs(mbps(next) / reference - 1);
  const double unstable = std::exp2(switches(s, row.scalar(view_.chunk_s)));
  return 2 * unstable + go < unstable + stay ? next : now;
}

void Festive::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    Slot& s = slots_[d.asked[i].slot];
    const ConstRow row = d.observation.row(i);
    see(s, row);
    actions.row(i).scalar(view_.quality) = choose(s, row);
  }
}

}  // namespace park::heuristics
