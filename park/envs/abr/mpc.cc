// Model predictive control. Lookahead copies sizes and qualities of the next chunks out of a row
// and searches all sequences depth first; a bound on what is left cuts branches, and sequences are
// tried from the last to the first so that ties fall as published. Mpc and RobustMpc predict the
// throughput, make the plan of a decision and take its first choice.
#include "park/envs/abr/mpc.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace park::abr {

namespace {

constexpr double kMegabitsPerByte = 8e-6;
constexpr std::size_t kMostTried = 100'000'000;  // seconds of work
constexpr double kMpcRounding =
    1e-9;  // of a bound, relative: more than sums of some terms can have

}  // namespace

std::int32_t Lookahead::best(ConstRow row, const LookaheadPlan& plan) {
  read(row, plan);
  best_value_ = -std::numeric_limits<double>::infinity();
  choice_ = 0;
  tried_ = 0;
  search({.buffer_s = row.scalar(layout_.buffer_s),
          .last = static_cast<std::size_t>(row.scalar(layout_.last))},
         0);
  return static_cast<std::int32_t>(choice_);
}

void Lookahead::read(ConstRow row, const LookaheadPlan& plan) {
  plan_ = plan;
  const std::span<const double> score = row[layout_.score];
  const std::span<const float> next = row[layout_.bytes], later = row[layout_.later_bytes];
  score_.assign(score.begin(), score.end());
  highest_ = std::ranges::max(score_);
  stall_penalty_ = row.scalar(layout_.stall_penalty);
  chunk_s_ = row.scalar(layout_.chunk_s);
  download_s_.resize(plan.horizon * rates_);
  for (std::size_t i = 0; i < plan.horizon; ++i)
    for (std::size_t r = 0; r < rates_; ++r) {
      const std::size_t at = plan.first + i;
      const float bytes = at == 0 ? next[r] : later[(at - 1) * rates_ + r];
      download_s_[i * rates_ + r] = static_cast<double>(bytes) * kMegabitsPerByte / plan.mbps;
    }
}

Lookahead::State Lookahead::after(const State& s, std::size_t depth,
                                  std::size_t quality) const noexcept {
  const double download_s = download_s_[depth * rates_ + quality];
  const double stall_s = std::max(download_s - s.buffer_s, 0.0);
  const double change = std::abs(score_[quality] - score_[s.last]);
  return {.quality = s.quality + score_[quality],
          .stall_s = s.stall_s + stall_s,
          .change = s.change + change,
          .buffer_s = std::max(s.buffer_s - download_s, 0.0) + chunk_s_,
          .last = quality};
}

void Lookahead::search(const State& s, std::size_t depth) {
  if (depth == plan_.horizon) {
    if (const double v = value(s, 0); v > best_value_) best_value_ = v, choice_ = first_;
    return;
  }
  // From the last sequence to the first, so that among equals the one found first stays.
  for (std::size_t quality = rates_; quality-- > 0 && tried_ < kMostTried; ++tried_) {
    const bool jump = quality > s.last + 1 || quality + 1 < s.last;
    if (plan_.one_level_jumps && jump) continue;
    if (depth == 0) first_ = quality;
    const State next = after(s, depth, quality);
    const auto rest = static_cast<double>(plan_.horizon - depth - 1);
    const double bound = value(next, rest * highest_);
    if (bound + kMpcRounding * (1 + std::abs(bound)) > best_value_) search(next, depth + 1);
  }
}

namespace {

constexpr const char* kReference =
    "Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic Adaptive Video "
    "Streaming over HTTP, SIGCOMM 2015, section 4";

/// The plan of a decision. Without a throughput seen there is nothing to plan with: horizon 0.
LookaheadPlan plan_of(const MpcConfig& c, const PlayerLayout& l, ConstRow row, double mbps) {
  const auto left = static_cast<std::size_t>(row.scalar(l.left));
  return {.horizon = mbps > 0 ? std::min(static_cast<std::size_t>(c.horizon), left) : 0,
          .first = c.index_one_ahead ? 1u : 0u,
          .mbps = mbps,
          .one_level_jumps = c.one_level_jumps};
}

std::int32_t first_choice(Lookahead& lookahead, ConstRow row, const LookaheadPlan& plan) {
  return plan.horizon == 0 ? 0 : lookahead.best(row, plan);
}

}  // namespace

PolicyInfo Mpc::info() {
  return {.name = "mpc",
          .summary = "plans the next chunks at the harmonic mean of the last throughputs",
          .reference = kReference,
          .environments = {"abr"}};
}

void Mpc::choose(const Ask&, ConstRow row, Row action) {
  const double mbps =
      harmonic_mean(row[layout_.throughput_mbps], static_cast<std::size_t>(config_.past));
  action.scalar(layout_.quality) =
      first_choice(lookahead_, row, plan_of(config_, layout_, row, mbps));
}

PolicyInfo RobustMpc::info() {
  return {.name = "robust_mpc",
          .summary = "mpc at a throughput lowered by the largest error of the last predictions",
          .reference = kReference,
          .environments = {"abr"}};
}

void RobustMpc::start(std::uint32_t slot, const Episode&, Rng) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  Slot& s = slots_[slot];
  if (config_.errors_leak) return;
  s.seen = 0;
  s.predicted_mbps = 0;
}

double RobustMpc::predict(Slot& s, ConstRow row) const {
  const std::span<const double> past = row[layout_.throughput_mbps];
  const double last_mbps = past.back();
  const bool known = s.predicted_mbps > 0 && last_mbps > 0;
  s.errors.resize(static_cast<std::size_t>(config_.errors));
  s.errors[s.seen++ % s.errors.size()] =
      known ? std::abs(s.predicted_mbps - last_mbps) / last_mbps : 0;
  s.predicted_mbps = harmonic_mean(past, static_cast<std::size_t>(config_.mpc.past));
  const auto n = static_cast<std::ptrdiff_t>(std::min(s.seen, s.errors.size()));
  const double worst = *std::max_element(s.errors.begin(), s.errors.begin() + n);
  return s.predicted_mbps / (1 + worst);
}

void RobustMpc::act(const Decisions& d, Batch& actions) {
  // The published code looks at the chunk that ends a video too.
  if (config_.errors_leak)
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const std::uint32_t slot = d.ended[i].slot;
      if (slot >= slots_.size()) slots_.resize(slot + 1);  // it ended before it was asked
      static_cast<void>(predict(slots_[slot], d.final_observation.row(i)));
    }
  RowPolicy::act(d, actions);
}

void RobustMpc::choose(const Ask& ask, ConstRow row, Row action) {
  const double mbps = predict(slots_[ask.slot], row);
  action.scalar(layout_.quality) =
      first_choice(lookahead_, row, plan_of(config_.mpc, layout_, row, mbps));
}

}  // namespace park::abr
