#include "agents/heuristic/abr/mpc.h"

#include <algorithm>
#include <cmath>

namespace park::heuristics {
namespace {

constexpr const char* kReference =
    "Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic Adaptive Video "
    "Streaming over HTTP, SIGCOMM 2015, section 4";

/// The plan of a decision. Without a throughput seen there is nothing to plan with: horizon 0.
LookaheadPlan plan_of(const MpcConfig& c, const PlayerView& view, ConstRow row, double mbps) {
  const auto left = static_cast<std::size_t>(row.scalar(view.left));
  return {.horizon = mbps > 0 ? std::min(static_cast<std::size_t>(c.horizon), left) : 0,
          .first = c.index_one_ahead ? 1u : 0u,
          .mbps = mbps,
          .one_level_jumps = c.one_level_jumps};
}

std::int32_t choose(Lookahead& lookahead, ConstRow row, const LookaheadPlan& plan) {
  return plan.horizon == 0 ? 0 : lookahead.best(row, plan);
}

}  // namespace

PolicyInfo Mpc::info() {
  return {.name = "mpc",
          .summary = "plans the next chunks at the harmonic mean of the last throughputs",
          .reference = kReference,
          .environments = {"abr"}};
}

void Mpc::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const double mbps =
        harmonic_mean(row[view_.throughput_mbps], static_cast<std::size_t>(config_.past));
    actions.row(i).scalar(view_.quality) =
        choose(lookahead_, row, plan_of(config_, view_, row, mbps));
  }
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
  const std::span<const double> past = row[view_.throughput_mbps];
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
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      static_cast<void>(predict(slots_[d.ended[i].slot], d.final_observation.row(i)));
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const double mbps = predict(slots_[d.asked[i].slot], row);
    actions.row(i).scalar(view_.quality) =
        choose(lookahead_, row, plan_of(config_.mpc, view_, row, mbps));
  }
}

}  // namespace park::heuristics
