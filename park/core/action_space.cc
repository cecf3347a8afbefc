// Legality of actions, from the spec alone. The constructor resolves every head of the action into
// handles: its mask or its range in the observation, and the head that it depends on. A choice is
// the set of values that one head may take in one row; sample, legal and project go through the
// heads in their order, because a later choice depends on earlier ones. Pool and Live admit every
// action here before an environment moves; policies sample here.
#include "park/core/action_space.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace park {
namespace {

/// The legal value next to v, by distance and then from below.
std::int64_t nearest_legal(const ActionSpace::Choice& c, std::int64_t v) {
  const std::int64_t start = c.high < c.low ? c.low : std::clamp(v, c.low, c.high);
  for (std::int64_t d = 0; d <= c.high - c.low; ++d) {
    if (c.contains(start - d)) return start - d;
    if (c.contains(start + d)) return start + d;
  }
  throw Error(Errc::illegal_action, "no action is legal");
}

/// An index is an i32.
constexpr std::size_t kMostIndices = std::size_t{1} << 31;

float clamped(float v, double low, double high) {
  return static_cast<float>(std::isnan(v) ? low : std::clamp<double>(v, low, high));
}

std::int32_t draw(const ActionSpace::Choice& c, Rng& rng) {
  if (c.mask.empty())
    return static_cast<std::int32_t>(c.low + static_cast<std::int64_t>(rng.below(
                                                 static_cast<std::uint64_t>(c.high - c.low + 1))));
  const auto legal = std::ranges::count_if(c.mask, [](std::uint8_t m) { return m != 0; });
  auto skip = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(legal)));
  std::int64_t v = c.low;
  while (!c.contains(v) || skip-- > 0) ++v;
  return static_cast<std::int32_t>(v);
}

}  // namespace

bool ActionSpace::Choice::empty() const noexcept {
  if (high < low) return true;
  return !mask.empty() && std::ranges::none_of(mask, [](std::uint8_t m) { return m != 0; });
}

ActionSpace::ActionSpace(const Spec& spec) {
  const Batch o(spec.observation), a(spec.action);
  const auto has = [&](const std::string& name) { return spec.observation.find(name) != nullptr; };
  const auto& leaves = spec.action.leaves;
  for (const Leaf& l : leaves) {
    Head h;
    h.low = l.low;
    h.high = l.high;
    h.continuous = l.dtype == DType::f32;
    if (h.continuous)
      h.real = a.field<float>(l.name);
    else
      h.value = a.field<std::int32_t>(l.name);
    if (!l.index_of.empty()) h.index = o.group(l.index_of);
    if (has("mask." + l.name)) h.mask = o.field<std::uint8_t>("mask." + l.name);
    if (has(l.name + ".min")) {
      h.min = o.field<std::int32_t>(l.name + ".min");
      h.max = o.field<std::int32_t>(l.name + ".max");
    }
    if (!l.given.empty()) {
      const auto first = std::ranges::find(leaves, l.given[0], &Leaf::name) - leaves.begin();
      if (first >= static_cast<std::ptrdiff_t>(heads_.size()) || !l.index_of.empty())
        throw Error(Errc::invalid_space, "head '" + l.name + "': 'given' needs an earlier head");
      h.given = static_cast<std::int32_t>(first);
      for (std::size_t i = 1; i < l.given.size(); ++i)
        h.follow.push_back(o.field<std::int32_t>(l.given[i]));
    }
    h.fixed = !h.continuous && h.index.id < 0 && !h.mask && !h.min;
    heads_.push_back(std::move(h));
  }
}

ActionSpace::Choice ActionSpace::choice(const Head& h, ConstRow obs, ConstRow act) const noexcept {
  if (h.given < 0) return choice(h, obs, std::size_t{0});
  const Head& first = heads_[static_cast<std::size_t>(h.given)];
  return choice(h, obs, static_cast<std::size_t>(act[first.value][0]));
}

ActionSpace::Choice ActionSpace::choice(const Head& h, ConstRow obs, std::size_t chosen) noexcept {
  std::size_t element = chosen;  // whose mask or range counts
  for (const auto& f : h.follow) element = static_cast<std::size_t>(obs[f][element]);
  if (h.min) return {{}, obs[*h.min][element], obs[*h.max][element]};
  Choice c{{}, static_cast<std::int64_t>(h.low), static_cast<std::int64_t>(h.high)};
  if (h.index.id >= 0)
    c = {{}, 0, static_cast<std::int64_t>(std::min(obs.count(h.index), kMostIndices)) - 1};
  if (h.mask) {
    const auto values = static_cast<std::size_t>(c.high - c.low + 1);
    c.mask = obs[*h.mask].subspan(h.index.id >= 0 ? 0 : element * h.mask->width, values);
  }
  return c;
}

ActionSpace::Choice ActionSpace::choice(std::size_t head, ConstRow obs, ConstRow act) const {
  if (heads_.at(head).continuous)
    throw Error(Errc::invalid_space, "a continuous head has no list of choices");
  return choice(heads_[head], obs, act);
}

bool ActionSpace::is_stuck(const Head& h, ConstRow obs) const {
  const auto none_at = [&](std::size_t chosen) {
    const Choice c = choice(h, obs, chosen);
    const bool beyond =
        h.min && (static_cast<double>(c.low) < h.low || static_cast<double>(c.high) > h.high);
    return c.empty() || beyond;
  };
  if (h.given < 0) return none_at(0);
  const Choice first = choice(heads_[static_cast<std::size_t>(h.given)], obs, std::size_t{0});
  for (std::int64_t v = first.low; v <= first.high; ++v)
    if (first.contains(v) && none_at(static_cast<std::size_t>(v))) return true;
  return false;
}

std::optional<std::size_t> ActionSpace::stuck_head(ConstRow obs) const {
  for (std::size_t h = 0; h < heads_.size(); ++h)
    if (!heads_[h].continuous && !heads_[h].fixed && is_stuck(heads_[h], obs)) return h;
  return std::nullopt;
}

void ActionSpace::sample(ConstRow obs, Row act, Rng& rng) const {
  for (const Head& h : heads_) {
    if (h.continuous) {
      for (float& v : act[h.real]) v = static_cast<float>(rng.uniform(h.low, h.high));
      continue;
    }
    for (std::int32_t& v : act[h.value]) {
      const Choice c = choice(h, obs, act);
      if (c.empty()) throw Error(Errc::illegal_action, "no action is legal");
      v = draw(c, rng);
    }
  }
}

bool ActionSpace::legal(const Head& h, ConstRow obs, ConstRow act) const noexcept {
  if (h.continuous)
    return std::ranges::all_of(act[h.real], [&](float v) { return v >= h.low && v <= h.high; });
  if (h.fixed)
    return std::ranges::all_of(act[h.value],
                               [&](std::int32_t v) { return v >= h.low && v <= h.high; });
  const Choice c = choice(h, obs, act);
  return std::ranges::all_of(act[h.value], [&](std::int32_t v) { return c.contains(v); });
}

bool ActionSpace::legal(ConstRow obs, ConstRow act) const noexcept {
  for (const Head& h : heads_)  // in order: a head's bounds need a legal earlier one
    if (!legal(h, obs, act)) return false;
  return true;
}

bool ActionSpace::project(ConstRow obs, Row act) const {
  bool changed = false;
  const auto replace = [&](auto& v, auto legal) {
    if (v == legal) return;
    v = legal;
    changed = true;
  };
  for (const Head& h : heads_) {
    if (h.continuous) {
      for (float& v : act[h.real]) replace(v, clamped(v, h.low, h.high));
      continue;
    }
    for (std::int32_t& v : act[h.value])
      replace(v, static_cast<std::int32_t>(nearest_legal(choice(h, obs, act), v)));
  }
  return changed;
}

bool admit(Illegal rule, const ActionSpace& space, ConstRow obs, Row act) {
  switch (rule) {
    case Illegal::unchecked:
      return false;
    case Illegal::project:
    case Illegal::penalise:
      return space.project(obs, act);
    case Illegal::error:
      break;
  }
  if (!space.legal(obs, act))
    throw Error(Errc::illegal_action, "illegal action in row " + std::to_string(act.index()));
  return false;
}

}  // namespace park
