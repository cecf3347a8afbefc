#include "agents/heuristic/abr/lookahead.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace park::heuristics {
namespace {

constexpr double kMegabitsPerByte = 8e-6;
constexpr double kRounding = 1e-9;  // of a bound, relative: more than sums of some terms can have

}  // namespace

std::int32_t Lookahead::best(ConstRow row, const LookaheadPlan& plan) {
  read(row, plan);
  best_value_ = -std::numeric_limits<double>::infinity();
  choice_ = 0;
  search({.buffer_s = row.scalar(view_.buffer_s),
          .last = static_cast<std::size_t>(row.scalar(view_.last))},
         0);
  return static_cast<std::int32_t>(choice_);
}

void Lookahead::read(ConstRow row, const LookaheadPlan& plan) {
  plan_ = plan;
  const std::span<const double> score = row[view_.score];
  const std::span<const float> next = row[view_.bytes], later = row[view_.later_bytes];
  score_.assign(score.begin(), score.end());
  highest_ = std::ranges::max(score_);
  stall_penalty_ = row.scalar(view_.stall_penalty);
  chunk_s_ = row.scalar(view_.chunk_s);
  download_s_.resize(plan.horizon * view_.rates);
  for (std::size_t i = 0; i < plan.horizon; ++i)
    for (std::size_t r = 0; r < view_.rates; ++r) {
      const std::size_t at = plan.first + i;
      const float bytes = at == 0 ? next[r] : later[(at - 1) * view_.rates + r];
      download_s_[i * view_.rates + r] = static_cast<double>(bytes) * kMegabitsPerByte / plan.mbps;
    }
}

Lookahead::State Lookahead::after(const State& s, std::size_t depth,
                                  std::size_t quality) const noexcept {
  const double download_s = download_s_[depth * view_.rates + quality];
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
  for (std::size_t quality = view_.rates; quality-- > 0;) {
    const bool jump = quality > s.last + 1 || quality + 1 < s.last;
    if (plan_.one_level_jumps && jump) continue;
    if (depth == 0) first_ = quality;
    const State next = after(s, depth, quality);
    const auto rest = static_cast<double>(plan_.horizon - depth - 1);
    const double bound = value(next, rest * highest_);
    if (bound + kRounding * (1 + std::abs(bound)) > best_value_) search(next, depth + 1);
  }
}

}  // namespace park::heuristics
