// Heuristics without look-ahead. RowPolicy goes over the rows that ask; choose answers one from the
// row alone, only Festive keeps a history for every slot.
// The registry makes them.
#include "park/envs/abr/policies.h"

#include <algorithm>
#include <cmath>

namespace park::abr {

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

PolicyInfo RateBased::info() {
  return {.name = "rb",
          .summary = "the highest rate below the harmonic mean of the last throughputs",
          .reference =
              "Mao, Netravali, Alizadeh, Neural Adaptive Video Streaming with Pensieve, "
              "SIGCOMM 2017, section 5.1",
          .environments = {"abr"}};
}

void RateBased::choose(const Ask&, ConstRow row, Row action) {
  const double mbps =
      harmonic_mean(row[layout_.throughput_mbps], static_cast<std::size_t>(config_.past));
  action.scalar(layout_.quality) = highest_rate(row[layout_.rate_mbps], config_.safety * mbps);
}

PolicyInfo BufferBased::info() {
  return {.name = "bb",
          .summary = "the rate follows the level of the buffer",
          .reference = "Huang et al., A buffer-based approach to rate adaptation, SIGCOMM 2014",
          .environments = {"abr"}};
}

void BufferBased::choose(const Ask&, ConstRow row, Row action) {
  const auto highest = static_cast<double>(layout_.rate_mbps.width - 1);
  const double buffer_s = row.scalar(layout_.buffer_s);
  const double share = std::clamp((buffer_s - config_.reservoir_s) / config_.cushion_s, 0.0, 1.0);
  action.scalar(layout_.quality) = static_cast<std::int32_t>(highest * share);
}

PolicyInfo Bola::info() {
  return {.name = "bola",
          .summary = "Lyapunov optimisation of utility and stalls from the buffer level",
          .reference =
              "Spiteri, Urgaonkar, Sitaraman, BOLA: near-optimal bitrate adaptation for "
              "online videos, INFOCOM 2016, section IV",
          .environments = {"abr"}};
}

std::int32_t Bola::best_rate(ConstRow row) const {
  const std::span<const double> rates = row[layout_.rate_mbps];
  const double chunk_s = row.scalar(layout_.chunk_s);
  const double capacity_s =
      config_.buffer_s > 0 ? config_.buffer_s : row.scalar(layout_.capacity_s);
  const double level = row.scalar(layout_.buffer_s) / chunk_s;
  const auto utility = [&](std::size_t r) { return std::log(rates[r] / rates[0]); };
  const double most = std::max(capacity_s / chunk_s - 1, 0.1);
  const double v = most / (utility(rates.size() - 1) + config_.gamma_p);
  const auto worth = [&](std::size_t r) {
    return (v * (utility(r) + config_.gamma_p) - level) / rates[r];
  };
  std::size_t best = 0;
  for (std::size_t r = 1; r < rates.size(); ++r)
    if (worth(r) >= worth(best)) best = r;
  return static_cast<std::int32_t>(best);
}

void Bola::choose(const Ask&, ConstRow row, Row action) {
  action.scalar(layout_.quality) = best_rate(row);
}

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
  const std::int32_t last = row.scalar(layout_.last);
  s.at_level = s.chunks > 0 && s.quality.back() == last ? s.at_level + 1 : 1;
  std::shift_left(s.throughput_mbps.begin(), s.throughput_mbps.end(), 1);
  std::shift_left(s.quality.begin(), s.quality.end(), 1);
  s.throughput_mbps.back() = row[layout_.throughput_mbps].back();
  s.quality.back() = last;
  s.chunks = std::min(s.chunks + 1, s.quality.size());
}

double Festive::switches(const Slot& s, double chunk_s) const {
  const std::size_t known = std::min(s.chunks, s.quality.size()) - 1;
  const double window = chunk_s > 0 ? config_.window_s / chunk_s : kInf;
  const auto n = static_cast<std::size_t>(std::min(window, static_cast<double>(known)));
  double count = 0;
  for (std::size_t i = s.quality.size() - n; i < s.quality.size(); ++i)
    count += s.quality[i] == s.quality[i - 1] ? 0 : 1;
  return count;
}

std::int32_t Festive::next_quality(const Slot& s, ConstRow row) const {
  const std::span<const double> rates = row[layout_.rate_mbps];
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
  const double unstable = std::exp2(switches(s, row.scalar(layout_.chunk_s)));
  return 2 * unstable + go < unstable + stay ? next : now;
}

void Festive::choose(const Ask& ask, ConstRow row, Row action) {
  Slot& s = slots_[ask.slot];
  see(s, row);
  action.scalar(layout_.quality) = next_quality(s, row);
}

}  // namespace park::abr
