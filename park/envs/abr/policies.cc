// Heuristics without look-ahead. PlayerView resolves the leaves once; each policy answers the rows
// of a batch one after the other from the row alone, only Festive keeps a history for every slot.
// The registry makes them.
#include "park/envs/abr/policies.h"

#include <algorithm>
#include <cmath>

namespace park::abr {

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

}  // namespace park::abr
