#include "park/envs/load_balance/config.h"

#include <cmath>
#include <string>

namespace park::load_balance {
namespace {

void check_jobs(const LoadBalanceConfig& c, Violations& bad) {
  if (std::isinf(c.jobs)) {
    if (std::isinf(c.horizon_s)) bad.add("horizon_s = inf must be finite where jobs = inf");
  } else if (c.jobs != std::floor(c.jobs) || c.jobs > kMaxJobs) {
    bad.add("jobs = " + number_text(c.jobs) + " is not a whole number in [1, 1e9], or inf");
  }
}

void check_rates(const LoadBalanceConfig& c, Violations& bad) {
  if (!c.rates.empty() && c.rates.size() != static_cast<std::size_t>(c.servers))
    bad.add("rates has " + std::to_string(c.rates.size()) +
            " values; allowed are none or one for " +
            "each of the servers = " + std::to_string(c.servers));
}

void check_sizes(const LoadBalanceConfig& c, Violations& bad) {
  // The generator's uniform numbers are multiples of 2^-53.
  const double largest = c.pareto_scale * std::exp2(53 / c.pareto_shape);
  if (c.sizes == "pareto" && largest > kMaxJobSize)
    bad.add("pareto_shape = " + number_text(c.pareto_shape) +
            " is too small: pareto_scale 2^(53 / pareto_shape), the largest size, exceeds 1e18");
  if (c.sizes == "uniform" && c.uniform_low > c.uniform_high)
    bad.add("uniform_low = " + number_text(c.uniform_low) +
            " exceeds uniform_high = " + number_text(c.uniform_high));
  if (c.sizes == "bimodal" && c.bimodal_small > c.bimodal_large)
    bad.add("bimodal_small = " + number_text(c.bimodal_small) +
            " exceeds bimodal_large = " + number_text(c.bimodal_large));
}

void check_recording(const LoadBalanceConfig& c, Violations& bad) {
  const bool recorded = c.sizes == "recorded";
  if (recorded && c.recording.empty()) bad.add("recording must name a file where sizes = recorded");
  if (!recorded && !c.recording.empty())
    bad.add("recording is allowed only where sizes = recorded");
  if (!recorded && c.arrivals == "recorded")
    bad.add("arrivals = recorded is allowed only where sizes = recorded");
}

}  // namespace

void LoadBalanceConfig::check(const LoadBalanceConfig& c, Violations& bad) {
  check_jobs(c, bad);
  check_rates(c, bad);
  check_sizes(c, bad);
  check_recording(c, bad);
}

std::vector<double> LoadBalanceConfig::server_rates() const {
  if (!rates.empty()) return rates;
  std::vector<double> all(static_cast<std::size_t>(servers));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(15 + 10 * i) / 100;
  return all;
}

}  // namespace park::load_balance
