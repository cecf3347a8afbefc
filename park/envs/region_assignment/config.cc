#include "park/envs/region_assignment/config.h"

#include <numeric>
#include <string>

#include "park/envs/region_assignment/sites.h"

namespace park::region_assignment {
namespace {

void check_length(const char* name, std::size_t length, const RegionConfig& c, Violations& bad) {
  if (length != 0 && length != c.region_count())
    bad.add(
        std::string(name) + " has " + std::to_string(length) +
        " values; allowed are none or one for each of the regions = " + std::to_string(c.regions));
}

}  // namespace

void RegionConfig::check(const RegionConfig& c, Violations& bad) {
  check_length("capacities", c.capacities.size(), c, bad);
  check_length("prices", c.prices.size(), c, bad);
  if (c.migrations > 0 && c.permanent())
    bad.add("migrations = " + std::to_string(c.migrations) +
            " is allowed only where lifetimes = exponential");
}

std::vector<double> RegionConfig::capacity_shares() const {
  if (capacities.empty())
    return std::vector<double>(region_count(), 1.0 / static_cast<double>(regions));
  const double sum = std::accumulate(capacities.begin(), capacities.end(), 0.0);
  std::vector<double> shares = capacities;
  for (double& share : shares) share /= sum;
  return shares;
}

std::vector<double> RegionConfig::region_prices() const {
  if (!prices.empty()) return prices;
  std::vector<double> all;
  for (std::size_t k = 0; k < region_count(); ++k) all.push_back(kRegions[k].price);
  return all;
}

}  // namespace park::region_assignment
