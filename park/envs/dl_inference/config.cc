#include "park/envs/dl_inference/config.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::dl_inference {
namespace {

constexpr double kMs = 1e-3;

std::vector<AppConfig> preset(const std::string& name) {
  if (name == "equal") return std::vector<AppConfig>(4, AppConfig{5 * kMs, 0.5 * kMs, 32});
  if (name == "mild")
    return {{2 * kMs, 0.2 * kMs, 32},
            {4 * kMs, 0.5 * kMs, 32},
            {6 * kMs, 0.8 * kMs, 32},
            {10 * kMs, kMs, 32}};
  if (name == "hetero")
    return {{kMs, 0.05 * kMs, 32},
            {4 * kMs, 0.5 * kMs, 32},
            {8 * kMs, 2 * kMs, 32},
            {20 * kMs, 4 * kMs, 32}};
  return {{0.53 * kMs, 0.074 * kMs, 64},
          {0.4 * kMs, 0.56 * kMs, 16},
          {0.72 * kMs, 0.33 * kMs, 64},
          {0.6 * kMs, 1.25 * kMs, 16}};
}

void check_named(const std::string& field, bool given, const std::string& needed_where, bool needed,
                 Violations& bad) {
  if (needed && !given) bad.add(field + " must not be empty where " + needed_where);
  if (!needed && given) bad.add(field + " is allowed only where " + needed_where);
}

void check_apps(const DlInferenceConfig& c, Violations& bad) {
  check_named("custom", !c.custom.empty(), "apps = custom", c.apps == "custom", bad);
  check_named("table", !c.table.empty(), "apps = table", c.apps == "table", bad);
  check_named("trace", !c.trace.empty(), "arrivals = trace", c.arrivals == "trace", bad);
  if (c.custom.size() > static_cast<std::size_t>(kMaxApps))
    bad.add("custom has " + std::to_string(c.custom.size()) + " applications; allowed are 64");
}

void check_one_each(const std::string& field, std::size_t values, std::size_t apps,
                    Violations& bad) {
  if (values > 0 && values != apps)
    bad.add(field + " has " + std::to_string(values) +
            " values; allowed are none or one for each of the " + std::to_string(apps) + " apps");
}

void check_lengths(const DlInferenceConfig& c, Violations& bad) {
  if (c.arrivals == "bursts" && c.burst_share * c.burst_factor > 1)
    bad.add("burst_factor = " + number_text(c.burst_factor) +
            " times burst_share = " + number_text(c.burst_share) + " is above 1");
  if (std::isinf(c.duration_s) && std::isinf(c.horizon_s))
    bad.add("horizon_s = inf must be finite where duration_s = inf");
}

/// Rules about applications that are known without a file.
void check_requests(const DlInferenceConfig& c, Violations& bad) {
  const std::vector<AppConfig> apps = c.analytic_apps();
  if (apps.empty()) return;
  check_one_each("weights", c.weights.size(), apps.size(), bad);
  check_one_each("shares", c.shares.size(), apps.size(), bad);
  const auto is_wrong = [](const AppConfig& app) { return app.a_s + app.b_s < kMinLatencyS; };
  if (!bad.empty() || std::ranges::any_of(apps, is_wrong)) return;
  std::vector<double> full_s;
  for (const AppConfig& app : apps) full_s.push_back(app.a_s / app.max_batch + app.b_s);
  const std::vector<double> rates = arrival_rates(c, full_s);
  const double expected =
      std::accumulate(rates.begin(), rates.end(), 0.0) * std::min(c.duration_s, c.horizon_s);
  if (expected > kMostRequests)
    bad.add("duration_s = " + number_text(c.duration_s) + " and load = " + number_text(c.load) +
            " make " + number_text(std::floor(expected)) + " requests; allowed are 1e8");
}

}  // namespace

void AppConfig::check(const AppConfig& c, Violations& bad) {
  if (c.a_s + c.b_s < kMinLatencyS)
    bad.add("a_s = " + number_text(c.a_s) + " and b_s = " + number_text(c.b_s) +
            " must add up to at least 1e-6");
}

void DlInferenceConfig::check(const DlInferenceConfig& c, Violations& bad) {
  check_apps(c, bad);
  check_lengths(c, bad);
  check_requests(c, bad);
}

std::vector<AppConfig> DlInferenceConfig::analytic_apps() const {
  if (apps == "table") return {};
  return apps == "custom" ? custom : preset(apps);
}

std::vector<std::filesystem::path> DlInferenceConfig::files() const {
  std::vector<std::filesystem::path> all;
  for (const std::string& file : {table, trace})
    if (!file.empty()) all.emplace_back(file);
  return all;
}

std::vector<double> arrival_rates(const DlInferenceConfig& c, const std::vector<double>& full_s) {
  std::vector<double> rates(full_s.size(), 1.0);
  double load = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!c.shares.empty()) rates[i] = c.shares[i];
    if (c.rates == "equal_load") rates[i] /= full_s[i];
    load += rates[i] * full_s[i];
  }
  for (double& rate : rates) rate *= c.load / load;
  return rates;
}

}  // namespace park::dl_inference
