// Greedy and Ordered have each two ways to a move. pick_step and pick_grant look for the next grant
// of a slot. plan_steps and plan_grants fill plan_ from nothing, by capacity alone, and walk finds
// the next move towards it. Policies in policies.cc and ordered_policies.cc derive from them.
#include "park/envs/dl_cluster/heuristics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace park::dl_cluster {
namespace {

constexpr double kRounding = 1e-6;  // of sums of demands, which are whole numbers

/// Of steps: whether another one comes first.
bool is_behind(const std::pair<double, std::size_t>& one,
               const std::pair<double, std::size_t>& other) {
  return one.first < other.first || (one.first == other.first && one.second > other.second);
}

}  // namespace

double Powers::of(double base, double exponent) {
  if (exponent != exponent_) known_.clear();
  exponent_ = exponent;
  known_.resize(kMost + 1);
  if (!(base >= 0 && base <= static_cast<double>(kMost))) return std::pow(base, exponent);
  const auto whole = static_cast<std::size_t>(base);
  if (static_cast<double>(whole) != base) return std::pow(base, exponent);
  if (known_[whole] == 0) known_[whole] = std::pow(base, exponent);
  return known_[whole];
}

void Heuristic::choose(const Ask&, ConstRow row, Row action) {
  view_.look(row);
  view_.write(pick(), action);
}

std::optional<std::size_t> Heuristic::walk() const {
  if (!view_.keeps()) return walk_slot();
  for (std::size_t j = 0; j < view_.jobs(); ++j)
    if (!view_.held(j).within(plan_[j]))
      if (const auto move = view_.toward(j, plan_[j])) return move;
  for (const std::size_t j : order_)
    if (view_.held(j) != plan_[j])
      if (const auto move = view_.toward(j, plan_[j])) return move;
  return {};
}

std::optional<std::size_t> Heuristic::walk_slot() const {
  for (const bool servers : {view_.compat(), !view_.compat()})
    for (const std::size_t j : order_) {
      const Grant held = view_.held(j);
      Grant to = held;
      if (servers)
        to.servers = std::max(held.servers, plan_[j].servers);
      else
        to.workers = std::max(held.workers, plan_[j].workers);
      if (to != held)
        if (const auto move = view_.toward(j, to)) return move;
    }
  return {};
}

void Heuristic::begin_plan() {
  planning_ = true;
  plan_.assign(view_.jobs(), {});
  left_.clear();
  for (std::size_t r = 0; r < view_.resources(); ++r) left_.push_back(view_.capacity(r));
}

bool Heuristic::affordable(std::size_t job, const Grant& from, const Grant& to) const {
  for (std::size_t r = 0; r < view_.resources(); ++r) {
    const double left = planning_ ? left_[r] : view_.free(r);
    if (view_.demand(job, to, r) - view_.demand(job, from, r) > left + kRounding) return false;
  }
  return true;
}

void Heuristic::plan(std::size_t job, const Grant& to) {
  for (std::size_t r = 0; r < view_.resources(); ++r)
    left_[r] -= view_.demand(job, to, r) - view_.demand(job, plan_[job], r);
  plan_[job] = to;
}

std::optional<Heuristic::Gain> Heuristic::steepest(std::size_t job, const Grant& from,
                                                   double cost_power) const {
  return steepest(job, from, cost_power,
                  [&](const Grant& to) { return affordable(job, from, to); });
}

Grant Heuristic::cheapest(std::size_t job, double share) const {
  for (const Choice& choice : view_.frontier(job))
    if (choice.speed >= share * view_.best_speed(job)) return choice.grant;
  return {};
}

double Heuristic::remaining_s(std::size_t job, const Grant& grant) const {
  const double speed = view_.speed(job, grant);
  return speed > 0 ? view_.remaining_work(job) / speed : std::numeric_limits<double>::infinity();
}

std::size_t Greedy::pick() {
  begin();
  if (plans()) {
    begin_plan();
    plan_steps();
    planning_ = false;
    if (const auto move = walk()) return *move;
    if (view_.keeps()) return view_.end();
  }
  return pick_step();
}

std::optional<std::size_t> Greedy::best_step() const {
  std::optional<std::size_t> best;
  for (std::size_t j = 0; j < steps_.size(); ++j)
    if (steps_[j] && (!best || steps_[j]->score > steps_[*best]->score)) best = j;
  return best;
}

std::size_t Greedy::pick_step() {
  steps_.resize(view_.jobs());
  for (std::size_t j = 0; j < view_.jobs(); ++j) steps_[j] = next(j, view_.held(j));
  for (auto best = best_step(); best; best = best_step()) {
    const Step& step = *steps_[*best];
    if (step.small || possible(*best, step.to))
      if (const auto move = view_.toward(*best, step.to, step.together)) return *move;
    if (stops()) break;
    steps_[*best] = step.small ? std::nullopt : smaller(*best);
  }
  return view_.end();
}

void Greedy::offer(std::size_t job) {
  steps_[job] = next(job, plan_[job]);
  if (!steps_[job]) return;
  heap_.emplace_back(steps_[job]->score, job);
  std::ranges::push_heap(heap_, is_behind);
}

void Greedy::plan_steps() {
  order_.clear();
  heap_.clear();
  steps_.resize(view_.jobs());
  for (std::size_t j = 0; j < view_.jobs(); ++j) offer(j);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, is_behind);
    const std::size_t j = heap_.back().second;
    heap_.pop_back();
    const Grant to = steps_[j]->to;
    if (affordable(j, plan_[j], to)) {
      if (plan_[j] == Grant{}) order_.push_back(j);
      plan(j, to);
      offer(j);
    } else if (const auto step = next(j, plan_[j]); step && step->to != to) {
      offer(j);
    }
  }
}

std::size_t Ordered::pick() {
  begin();
  keys_.clear();
  for (std::size_t j = 0; j < view_.jobs(); ++j) {
    const double k = key(j);
    keys_.emplace_back(std::isnan(k) ? std::numeric_limits<double>::infinity() : k, j);
  }
  std::ranges::sort(keys_);
  if (plans()) {
    order_.clear();
    for (const auto& [unused, j] : keys_) order_.push_back(j);
    begin_plan();
    plan_grants();
    planning_ = false;
    if (const auto move = walk()) return *move;
    if (view_.keeps()) return view_.end();
  }
  return pick_grant();
}

std::size_t Ordered::pick_grant() {
  if (const auto move = pick_first()) return *move;
  if (fills())
    if (const auto move = pick_more(true)) return *move;
  if (grows_beyond() > 0)
    if (const auto move = pick_more(false)) return *move;
  return view_.end();
}

std::optional<std::size_t> Ordered::pick_first() {
  for (const auto& [unused, j] : keys_) {
    const Grant from = view_.held(j), to = wanted(j);
    if (!from.within(to) || from == to) continue;
    if (fills() && !view_.fits(j, from, to)) continue;
    if (const auto move = view_.toward(j, to, true)) return move;
    if (stops()) return view_.end();
  }
  return {};
}

/// A step to the next frontier configuration: of a job that has less than it should, or of any job
/// up to the last configuration.
std::optional<std::size_t> Ordered::pick_more(bool only_unfinished) {
  for (const auto& [unused, j] : keys_) {
    const Grant from = view_.held(j);
    if (only_unfinished && wanted(j).within(from)) continue;
    const double most = (only_unfinished ? 1 : grows_beyond()) * view_.best_speed(j);
    if (view_.speed(j, from) >= most) continue;
    std::optional<std::size_t> move;
    climb(j, from, [&](const Gain& gain) {
      if (view_.fits(j, from, gain.to)) move = view_.toward(j, gain.to);
      return move.has_value();
    });
    if (move) return move;
  }
  return {};
}

void Ordered::plan_grants() {
  for (const auto& [unused, j] : keys_) {
    const Grant to = wanted(j);
    if (affordable(j, {}, to))
      plan(j, to);
    else if (blocks())
      return;
  }
  for (const auto& [unused, j] : keys_)
    if (fills() && plan_[j] == Grant{}) plan_more(j, wanted(j));
  for (const auto& [unused, j] : keys_)
    if (grows_beyond() > 0) plan_more(j, cheapest(j, grows_beyond()));
}

/// The largest frontier configuration that fits.
void Ordered::plan_more(std::size_t job, const Grant& most) {
  const Grant before = plan_[job];
  Grant best = before;
  for (const auto& [to, speed, cost] : view_.frontier(job))
    if (best.within(to) && to.within(most) && affordable(job, before, to)) best = to;
  plan(job, best);
}

}  // namespace park::dl_cluster
