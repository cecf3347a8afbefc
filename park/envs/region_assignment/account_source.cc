#include "park/envs/region_assignment/account_source.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace park::region_assignment {
namespace {

constexpr double kLeastWeight = 0.3;

/// Beta(2, 2): the second of three uniform numbers.
double beta_2_2(Rng rng) {
  const double a = rng.uniform(), b = rng.uniform(), c = rng.uniform();
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

double Account::spread() const noexcept {
  double squares = 0;
  for (const double share : demand) squares += share * share;
  return 1 / squares;
}

double Account::round_trip_s(std::size_t region) const noexcept {
  double mean_s = 0;
  for (std::size_t i = 0; i < kAccountSites; ++i)
    mean_s += demand[i] * round_trips_s()[sites[i]][region];
  return mean_s;
}

std::array<double, kSites> site_activity(double sun, double time_s) {
  std::array<double, kSites> activity{};
  for (std::size_t s = 0; s < kSites; ++s)
    activity[s] = std::exp(sun * sun_at(kCities[s].longitude, time_s).high);
  return activity;
}

AccountSource::AccountSource(const RegionConfig& c) : config_(c), mean_weight_(mean_weight(c)) {}

void AccountSource::reset(std::uint64_t inputs) noexcept {
  const Rng input(inputs);
  gaps_ = input.split("gaps");
  weights_ = input.split("weights");
  lifetimes_ = input.split("lifetimes");
  homes_ = input.split("homes");
  shares_ = input.split("shares");
  others_ = input.split("others");
  now_s_ = 0;
  count_ = 0;
}

void AccountSource::draw_future(std::uint64_t inputs, std::uint64_t arrived,
                                double now_s) noexcept {
  reset(inputs);
  now_s_ = now_s;
  count_ = arrived;
}

Account AccountSource::next() {
  const std::uint64_t k = count_++;
  if (k > 0) now_s_ += gaps_.split(k).exponential(config_.interval_s);
  Account a{.arrives_s = now_s_, .lifetime_s = lifetime_of(k), .weight = weight_of(k)};
  a.sites[0] = home_of(k, now_s_);
  a.demand[0] = beta_2_2(shares_.split(k));
  Rng draw = others_.split(k);
  for (std::size_t i = 1; i < kAccountSites; ++i) {
    const auto taken = std::span(a.sites).first(i);
    do a.sites[i] = draw.below(kSites);
    while (std::ranges::find(taken, a.sites[i]) != taken.end());
    a.demand[i] = (1 - a.demand[0]) / (kAccountSites - 1);
  }
  return a;
}

double AccountSource::lifetime_of(std::uint64_t k) const noexcept {
  return config_.permanent() ? kInf : lifetimes_.split(k).exponential(config_.lifetime_s);
}

double AccountSource::weight_of(std::uint64_t k) const noexcept {
  const double drawn = kLeastWeight + weights_.split(k).pareto(config_.weight_shape, 1);
  return std::round(std::min(drawn, config_.weight_max) / kWeightStep) * kWeightStep;
}

std::size_t AccountSource::home_of(std::uint64_t k, double time_s) const noexcept {
  const std::array<double, kSites> activity = site_activity(config_.sun, time_s);
  double all = 0;
  for (const double one : activity) all += one;
  double left = homes_.split(k).uniform() * all;
  for (std::size_t s = 0; s + 1 < kSites; ++s) {
    if (left < activity[s]) return s;
    left -= activity[s];
  }
  return kSites - 1;
}

double AccountSource::total_capacity() const noexcept {
  if (!config_.permanent())
    return mean_weight_ * config_.lifetime_s / config_.interval_s / config_.load;
  double weight = 0;
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(config_.accounts); ++k)
    weight += weight_of(k);
  return weight / config_.load;
}

/// With X = Pareto(a, 1) cut at m: E X = 1 + the integral of x^-a from 1 to m.
double AccountSource::mean_weight(const RegionConfig& c) {
  const double m = c.weight_max - kLeastWeight, a = c.weight_shape;
  const double tail = std::abs(a - 1) < 1e-9 ? std::log(m) : (1 - std::pow(m, 1 - a)) / (a - 1);
  return kLeastWeight + 1 + tail;
}

}  // namespace park::region_assignment
