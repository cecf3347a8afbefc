// The environment: an AccountSource, the capacity of Regions and the Residents that use it. reset
// takes the first account. step puts the account that asks into a region, or rejects it, and moves
// time on: to the next account that may move in this epoch, to the next epoch, or to the next
// arrival, while accounts leave. Pool calls it.
#include "park/envs/region_assignment/region_assignment.h"

#include <algorithm>
#include <cmath>

#include "park/envs/region_assignment/sites.h"
#include "park/envs/region_assignment/statistics.h"

namespace park::region_assignment {
namespace {

constexpr double kHourS = 3600;

}  // namespace

Spec RegionAssignment::spec(const Config& c) {
  return RegionLayout(statistics_texts(c))
      .spec({.name = kRegionAssignmentName,
             .summary = "assign accounts to regions with capacity, price and distance",
             .reference =
                 "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, "
                 "NeurIPS 2019 (the name and the question; data and model are new)",
             .traits = {.cloneable = true}});
}

RegionAssignment::RegionAssignment(const Config& c)
    : config_(c),
      shares_(c.capacity_shares()),
      prices_(c.region_prices()),
      leaving_share_(c.permanent() ? 0 : -std::expm1(-kHourS / c.lifetime_s)),
      source_(c),
      regions_(c.region_count()),
      timeline_(c.region_count()) {}

void RegionAssignment::reset(const Episode& e, Row observation) {
  source_.reset(e.inputs);
  regions_.reset(source_.total_capacity(), shares_);
  residents_.clear();
  horizon_s_ = e.horizon_s;
  now_s_ = 0;
  epoch_ = 1;
  epoch_open_ = false;
  moves_asked_ = 0;
  cost_ = weight_ = placed_weight_ = cheapest_weight_ = 0;
  round_trip_weight_s_ = price_weight_ = 0;
  accepted_ = rejected_ = moved_ = events_ = 0;
  if (timeline_) timeline_.begin();
  accept(source_.next());
  take_next();
  observe(observation);
}

Outcome RegionAssignment::step(ConstRow action, Row observation) {
  const double start_s = now_s_;
  const auto element = static_cast<std::size_t>(action.scalar(layout_.region));
  const double cost = question_.slot ? move_to(element) : place(element);
  cost_ += cost;
  if (timeline_) timeline_.cost(now_s_, cost_ / weight_);
  Outcome o{.reward = -cost};
  if (!advance())
    o.end = accepted_ == static_cast<std::uint64_t>(config_.accounts) ? End::terminated
                                                                      : End::truncated;
  o.elapsed_s = now_s_ - start_s;
  observe(observation);
  return o;
}

/// An account arrives now.
void RegionAssignment::accept(const Account& a) {
  now_s_ = a.arrives_s;
  const double following = std::floor(now_s_ / config_.epoch_s) + 1;
  epoch_ = std::min(epoch_, following * config_.epoch_s > now_s_ ? following : following + 1);
  question_ = {.asks = {.account = a, .job = accepted_++, .leaves_s = a.arrives_s + a.lifetime_s}};
  for (std::size_t k = 0; k < regions_.size(); ++k)
    question_.asks.costs[k] = a.weight * (a.round_trip_s(k) / config_.round_trip_unit_s +
                                          config_.price_weight * prices_[k]);
  weight_ += a.weight;
  ++events_;
  if (timeline_) timeline_.arrival(a, question_.asks.job);
}

void RegionAssignment::take_next() {
  if (accepted_ < static_cast<std::uint64_t>(config_.accounts)) next_ = source_.next();
}

double RegionAssignment::place(std::size_t element) {
  Resident& r = question_.asks;
  const double weight = r.account.weight;
  if (element == regions_.size()) {
    ++rejected_;
    if (timeline_) timeline_.rejected(now_s_, r.job);
    return weight * config_.reject_cost;
  }
  r.region = element;
  regions_.add(element, weight);
  if (!config_.permanent()) residents_.add(r);
  placed_weight_ += weight;
  round_trip_weight_s_ += weight * r.account.round_trip_s(element);
  price_weight_ += weight * prices_[element];
  const auto costs = std::span(r.costs).first(regions_.size());
  if (r.costs[element] <= *std::ranges::min_element(costs)) cheapest_weight_ += weight;
  if (timeline_) {
    timeline_.account("placed", now_s_, r.job, element);
    timeline_.used(now_s_, regions_, element);
  }
  return r.costs[element];
}

double RegionAssignment::move_cost(std::size_t region) const noexcept {
  const Resident& r = question_.asks;
  if (region == r.region) return 0;
  return r.costs[region] - r.costs[r.region] + r.account.weight * config_.migration_cost;
}

double RegionAssignment::move_to(std::size_t region) {
  Resident& r = residents_.at(*question_.slot);
  const double cost = move_cost(region);
  if (region == r.region) return cost;
  regions_.remove(r.region, r.account.weight);
  regions_.add(region, r.account.weight);
  if (timeline_) {
    timeline_.account("moved", now_s_, r.job, region);
    timeline_.used(now_s_, regions_, r.region);
    timeline_.used(now_s_, regions_, region);
  }
  r.region = region;
  ++moved_;
  ++events_;
  return cost;
}

bool RegionAssignment::advance() {
  for (;;) {
    if (epoch_open_ && ask_for_move()) return true;
    if (epoch_open_) close_epoch();
    if (accepted_ == static_cast<std::uint64_t>(config_.accounts)) return false;
    const double epoch_s = epoch_time_s();
    const double next_s = std::min(epoch_s, next_.arrives_s);
    if (next_s >= horizon_s_) {
      pass(horizon_s_);
      return false;
    }
    pass(next_s);
    if (epoch_s <= next_.arrives_s) {
      epoch_open_ = true;
      moves_asked_ = 0;
      continue;
    }
    accept(next_);
    take_next();
    return true;
  }
}

double RegionAssignment::epoch_time_s() const noexcept {
  return config_.migrations == 0 ? kInf : epoch_ * config_.epoch_s;
}

/// If no account could gain in this epoch, none can before something changes.
void RegionAssignment::close_epoch() {
  epoch_open_ = false;
  epoch_ += 1;
  if (moves_asked_ == 0)
    epoch_ = std::max(epoch_, std::ceil(residents_.next_s() / config_.epoch_s));
}

void RegionAssignment::pass(double until_s) {
  while (residents_.next_s() <= until_s) {
    const Resident& r = residents_.leave();
    regions_.remove(r.region, r.account.weight);
    ++events_;
    if (!timeline_) continue;
    timeline_.account("completion", r.leaves_s, r.job, r.region);
    timeline_.used(r.leaves_s, regions_, r.region);
  }
  now_s_ = until_s;
}

bool RegionAssignment::ask_for_move() {
  if (moves_asked_ == config_.migrations) return false;
  double most = 0;
  std::optional<std::size_t> best;
  residents_.for_each([&](std::size_t slot, const Resident& r) {
    if (r.asked_epoch == epoch_) return;
    const double saving = saving_of(r);
    const bool equal = best && saving == most && r.job < residents_.at(*best).job;
    if (saving > most || equal) most = saving, best = slot;
  });
  if (!best) return false;
  ++moves_asked_;
  residents_.at(*best).asked_epoch = epoch_;
  question_ = {.asks = residents_.at(*best), .slot = best};
  return true;
}

/// What the account would save in the cheapest other region with free capacity for it.
double RegionAssignment::saving_of(const Resident& r) const noexcept {
  double most = 0;
  for (std::size_t k = 0; k < regions_.size(); ++k)
    if (k != r.region && regions_.fits(k, r.account.weight))
      most = std::max(most, r.costs[r.region] - r.costs[k]);
  return most;
}

bool RegionAssignment::legal(std::size_t region) const noexcept {
  const Resident& r = question_.asks;
  return (question_.slot && region == r.region) || regions_.fits(region, r.account.weight);
}

void RegionAssignment::observe(Row row) const {
  const RegionLayout& l = layout_;
  const Account& a = question_.asks.account;
  row.scalar(l.time_s) = now_s_;
  row.scalar(l.weight) = static_cast<float>(a.weight);
  row.scalar(l.home) = static_cast<std::int32_t>(a.sites[0]);
  row.scalar(l.home_share) = static_cast<float>(a.demand[0]);
  row.scalar(l.spread) =
      std::clamp(static_cast<float>(a.spread()), 1.0F, static_cast<float>(kAccountSites));
  row.scalar(l.migrates) = question_.slot ? 1 : 0;
  row.scalar(l.to_come) =
      static_cast<float>(static_cast<std::uint64_t>(config_.accounts) - accepted_);
  row.scalar(l.interval_s) = static_cast<float>(config_.interval_s);
  row.scalar(l.lifetime_s) = config_.permanent() ? 0.0F : static_cast<float>(config_.lifetime_s);
  row.resize(l.regions, regions_.size() + 1);
  observe_regions(row);
  observe_rejection(row);
}

void RegionAssignment::observe_regions(Row row) const {
  const RegionLayout& l = layout_;
  const Resident& r = question_.asks;
  for (std::size_t k = 0; k < regions_.size(); ++k) {
    const double used = regions_.used(k), capacity = regions_.capacity(k);
    const Sun sun = sun_at(kRegions[k].place.longitude, now_s_);
    row[l.number][k] = static_cast<std::int32_t>(k);
    row[l.reject][k] = 0;
    row[l.capacity][k] = static_cast<float>(capacity);
    row[l.free][k] = static_cast<float>(capacity - used);
    row[l.used_share][k] = static_cast<float>(used / capacity);
    row[l.price][k] = static_cast<float>(prices_[k]);
    row[l.round_trip_s][k] = static_cast<float>(r.account.round_trip_s(k));
    row[l.cost][k] = static_cast<float>(question_.slot ? move_cost(k) : r.costs[k]);
    row[l.leaving][k] = static_cast<float>(used * leaving_share_);
    row[l.sun][k] = static_cast<float>(sun.high);
    row[l.sun_rising][k] = static_cast<float>(sun.rising);
    row[l.current][k] = question_.slot && r.region == k ? 1 : 0;
    row[l.mask][k] = legal(k) ? 1 : 0;
  }
}

/// The last element. An account that is in a region may stay there, so it is never rejected.
void RegionAssignment::observe_rejection(Row row) const {
  const RegionLayout& l = layout_;
  const std::size_t e = regions_.size();
  bool any_legal = false;
  for (std::size_t k = 0; k < e; ++k) any_legal = any_legal || legal(k);
  row[l.number][e] = kMaxRegions;
  row[l.reject][e] = 1;
  for (const LeafOf<float>& leaf :
       {l.capacity, l.free, l.used_share, l.price, l.round_trip_s, l.leaving, l.sun, l.sun_rising})
    row[leaf][e] = 0;
  row[l.cost][e] = static_cast<float>(question_.asks.account.weight * config_.reject_cost);
  row[l.current][e] = 0;
  const bool may_reject = !any_legal || config_.reject == "always";
  row[l.mask][e] = !question_.slot && may_reject ? 1 : 0;
}

void RegionAssignment::metrics(std::span<double> out) const {
  const RegionLayout& l = layout_;
  const double placed = placed_weight_ > 0 ? placed_weight_ : 1;
  out[l.cost_per_weight] = cost_ / weight_;
  out[l.total_cost] = cost_;
  out[l.avg_round_trip_s] = round_trip_weight_s_ / placed;
  out[l.avg_price] = price_weight_ / placed;
  out[l.rejected_share] = (weight_ - placed_weight_) / weight_;
  out[l.rejected] = static_cast<double>(rejected_);
  out[l.cheapest_share] = cheapest_weight_ / weight_;
  out[l.peak_used_share] = regions_.peak_share();
  out[l.moved] = static_cast<double>(moved_);
}

std::unique_ptr<Env> RegionAssignment::clone() const {
  auto copy = std::make_unique<RegionAssignment>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

std::unique_ptr<Env> RegionAssignment::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<RegionAssignment>(*this);
  copy->timeline_.set(nullptr);
  copy->source_.draw_future(seed, accepted_, now_s_);
  copy->take_next();
  if (question_.slot) return copy;
  Resident& asks = copy->question_.asks;
  asks.account.lifetime_s = copy->source_.lifetime_of(asks.job);
  asks.leaves_s = now_s_ + asks.account.lifetime_s;
  return copy;
}

}  // namespace park::region_assignment
