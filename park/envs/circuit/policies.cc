#include "park/envs/circuit/policies.h"

#include <algorithm>
#include <cmath>

namespace park::circuit {
namespace {

bool is_absolute(const Spec& spec) { return spec.action.find("position") != nullptr; }

}  // namespace

Sizing::Sizing(const Spec& spec) {
  if (is_absolute(spec))
    places_ = bind_layout<AbsoluteLayout>(spec);
  else
    steps_ = bind_layout<StepLayout>(spec);
}

Positions Sizing::position(ConstRow row) const {
  Positions all{};
  std::ranges::copy(row[layout().position], all.begin());
  return all;
}

void Sizing::go(const Positions& to, ConstRow row, Row action) const {
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double goal = std::clamp(to[i], 0.0, 1.0);
    if (places_) {
      action[places_->place][i] = static_cast<float>(goal);
      continue;
    }
    const double gap = goal - static_cast<double>(row[layout().position][i]);
    const double half = 0.5 * static_cast<double>(row.scalar(layout().grid_step));
    action.scalar(steps_->step[i]) = gap > half ? 1 : gap < -half ? -1 : 0;
  }
}

PolicyInfo Human::info() {
  return {.name = "human",
          .summary = "the published design",
          .reference =
              "the design that Wang et al., GCN-RL Circuit Designer, DAC 2020, and Park "
              "compare with; for the op-amp the first design of this environment",
          .environments = {kCircuitName}};
}

void Human::choose(const Ask&, ConstRow row, Row action) {
  Positions to{};
  std::ranges::copy(row[sizing_.layout().published], to.begin());
  sizing_.go(to, row, action);
}

PolicyInfo Coordinate::info() {
  return {.name = "coordinate",
          .summary = "one parameter at a time, up and down, with steps that shrink",
          .reference =
              "Hooke, Jeeves, Direct Search Solution of Numerical and Statistical Problems, "
              "1961, exploratory moves",
          .environments = {kCircuitName}};
}

void Coordinate::start(std::uint32_t slot, const Episode&, Rng) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot] = {.step = config_.step};
}

void Coordinate::choose(const Ask& ask, ConstRow row, Row action) {
  Slot& s = slots_[ask.slot];
  const double score = row.scalar(sizing_.layout().score);
  const bool better = !s.tried || score > s.score;
  if (better) {
    s.best = sizing_.position(row);
    s.score = score;
  }
  if (!sizing_.absolute()) s.step = static_cast<double>(row.scalar(sizing_.layout().grid_step));
  if (s.tried) {
    // What helped is tried again; after an upward move that did not comes the downward one.
    s.failed = better ? 0 : s.failed + 1;
    if (!better) s.trial = (s.trial + 1) % (2 * kParameters);
    if (s.failed >= 2 * kParameters) {
      s.failed = 0;
      if (sizing_.absolute()) s.step *= config_.shrink;
    }
  }
  s.tried = true;
  Positions to = s.best;
  double& changed = to[s.trial / 2];
  changed = std::clamp(changed + (s.trial % 2 == 0 ? s.step : -s.step), 0.0, 1.0);
  sizing_.go(to, row, action);
}

}  // namespace park::circuit
