#include "park/envs/region_assignment/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "park/envs/region_assignment/account_source.h"

namespace park::region_assignment {
namespace {

constexpr double kHeaviest = 0.1;
constexpr std::size_t kSteps = 20'000;  // of integrals over a probability
constexpr std::size_t kHours = 24;

/// Three decimals at most.
std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Integrals over the quantile of the Pareto part, by the middle of each step.
void integrate_weights(const RegionConfig& c, GeneratorStatistics& s) {
  double squares = 0, sum = 0, heaviest = 0;
  for (std::size_t i = 0; i < kSteps; ++i) {
    const double rest = (static_cast<double>(i) + 0.5) / kSteps;  // P(a larger one)
    const double w = std::min(0.3 + std::pow(rest, -1 / c.weight_shape), c.weight_max);
    sum += w;
    squares += w * w;
    if (rest < kHeaviest) heaviest += w;
  }
  s.weight_mean = AccountSource::mean_weight(c);
  const double mean = sum / kSteps;
  s.weight_deviation = std::sqrt(squares / kSteps - mean * mean);
  s.largest_share = heaviest / sum;
}

void integrate_demand(GeneratorStatistics& s) {
  s.home_share_deviation = std::sqrt(0.05);  // of Beta(2, 2)
  for (std::size_t i = 0; i < kSteps; ++i) {
    const double home = (static_cast<double>(i) + 0.5) / kSteps;
    const double density = 6 * home * (1 - home);
    s.spread_mean += density / (home * home + (1 - home) * (1 - home) / 3) / kSteps;
  }
}

/// Share of each site in the homes of a day.
std::array<double, kSites> home_shares(const RegionConfig& c, double& peak) {
  std::array<double, kSites> shares{};
  peak = 0;
  for (std::size_t h = 0; h < kHours; ++h) {
    const auto activity = site_activity(c.sun, static_cast<double>(h) * kDayS / kHours);
    double all = 0;
    for (const double one : activity) all += one;
    for (std::size_t site = 0; site < kSites; ++site) {
      shares[site] += activity[site] / all / kHours;
      if (site == 0) peak = std::max(peak, activity[site] / all);
    }
  }
  peak /= shares[0];
  return shares;
}

void integrate_round_trips(const RegionConfig& c, GeneratorStatistics& s) {
  const std::array<double, kSites> shares = home_shares(c, s.peak_activity);
  double uniform_s = 0, home_s = 0;
  for (std::size_t site = 0; site < kSites; ++site) {
    const auto& trips = round_trips_s()[site];
    double mean_s = 0;
    for (std::size_t k = 0; k < c.region_count(); ++k) mean_s += trips[k] / c.regions;
    home_s += shares[site] * mean_s;
    uniform_s += (1 - shares[site]) / (kSites - 1) * mean_s;
    s.nearest_round_trip_s +=
        shares[site] * *std::min_element(trips.begin(), trips.begin() + c.regions);
  }
  s.random_round_trip_s = s.home_share_mean * home_s + (1 - s.home_share_mean) * uniform_s;
}

}  // namespace

GeneratorStatistics generator_statistics(const RegionConfig& c) {
  GeneratorStatistics s;
  integrate_weights(c, s);
  integrate_demand(s);
  integrate_round_trips(c, s);
  if (!c.permanent()) s.present_mean = c.lifetime_s / c.interval_s;
  return s;
}

RegionLayout::Drawn statistics_texts(const RegionConfig& c) {
  const GeneratorStatistics s = generator_statistics(c);
  const auto spread = [](double mean, double deviation) {
    return "; mean " + short_text(mean) + ", standard deviation " + short_text(deviation);
  };
  RegionLayout::Drawn d;
  d.weight = spread(s.weight_mean, s.weight_deviation) + "; the heaviest 10 % have " +
             short_text(100 * s.largest_share) + " % of the weight";
  d.home = "; at its peak a site has " + short_text(s.peak_activity) +
           " times its mean share of the arrivals";
  d.home_share = spread(s.home_share_mean, s.home_share_deviation);
  d.spread = "; mean " + short_text(s.spread_mean);
  d.load = "; offered " + short_text(c.load) + " of the capacity of all regions";
  if (!c.permanent())
    d.lifetime = "; " + short_text(s.present_mean) + " accounts are present if none is rejected";
  d.round_trip = "; mean " + short_text(s.random_round_trip_s) + " s over regions, " +
                 short_text(s.nearest_round_trip_s) + " s from a home to the nearest region";
  return d;
}

}  // namespace park::region_assignment
