#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::load_balance {

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr double kMaxJobSize = 1e18;               ///< work
inline constexpr double kMaxJobs = 1e9;                   ///< limit of an episode
inline constexpr double kMaxIntervalS = 1e9;              ///< mean time between arrivals
inline constexpr double kMinRate = 1e-6, kMaxRate = 1e9;  ///< work per second

/// The defaults are the setting of Park's load_balance. Every size distribution has the mean 300 by
/// default. With ten servers and gaps of 55 s the offered load is 0.909.
struct LoadBalanceConfig {
  std::int32_t servers = 10;
  std::vector<double> rates{};
  double jobs = 1000;
  double interval_s = 55;
  std::string sizes = "pareto";
  double pareto_shape = 1.5, pareto_scale = 100;
  double exponential_mean = 300;
  double uniform_low = 100, uniform_high = 500;
  double bimodal_small = 100, bimodal_large = 2100, bimodal_large_share = 0.1;
  std::string arrivals = "poisson";
  std::string recording{};
  std::string recording_start = "random";
  double horizon_s = kInf;

  bool operator==(const LoadBalanceConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("servers", c.servers, FieldDoc{.doc = "number of servers", .min = 1, .max = 4096});
    visit("rates", c.rates,
          FieldDoc{.doc = "work per second of each server; empty: server i, from 0, has "
                          "0.15 + 0.1 i, so ten have Park's 0.15 .. 1.05",
                   .unit = "work/s",
                   .min = kMinRate,
                   .max = kMaxRate});
    visit("jobs", c.jobs,
          FieldDoc{.doc = "jobs of an episode, a whole number; inf: no last job, the episode ends "
                          "at its horizon",
                   .min = 1});
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "mean time between Poisson arrivals",
                   .unit = "s",
                   .min = 1e-9,
                   .max = kMaxIntervalS});
    visit("sizes", c.sizes,
          FieldDoc{.doc = "distribution of the job size",
                   .choices = "pareto|exponential|uniform|bimodal|recorded"});
    visit("pareto_shape", c.pareto_shape,
          FieldDoc{.doc = "pareto: a in P(size > x) = (scale / x)^a", .min = 0.1, .max = 1e3});
    visit("pareto_scale", c.pareto_scale,
          FieldDoc{.doc = "pareto: the smallest size", .unit = "work", .min = 1e-9, .max = 1e12});
    visit("exponential_mean", c.exponential_mean,
          FieldDoc{.doc = "exponential: the mean size", .unit = "work", .min = 1e-9, .max = 1e12});
    visit("uniform_low", c.uniform_low,
          FieldDoc{.doc = "uniform: the smallest size", .unit = "work", .min = 1e-9, .max = 1e12});
    visit("uniform_high", c.uniform_high,
          FieldDoc{.doc = "uniform: the largest size", .unit = "work", .min = 1e-9, .max = 1e12});
    visit(
        "bimodal_small", c.bimodal_small,
        FieldDoc{.doc = "bimodal: size of a small job", .unit = "work", .min = 1e-9, .max = 1e12});
    visit(
        "bimodal_large", c.bimodal_large,
        FieldDoc{.doc = "bimodal: size of a large job", .unit = "work", .min = 1e-9, .max = 1e12});
    visit("bimodal_large_share", c.bimodal_large_share,
          FieldDoc{.doc = "bimodal: probability of a large job", .min = 0, .max = 1});
    visit("arrivals", c.arrivals,
          FieldDoc{.doc = "times between arrivals; recorded: the gaps of the recording",
                   .choices = "poisson|recorded"});
    visit("recording", c.recording,
          FieldDoc{.doc = "file with one job per line, for sizes=recorded: CSV with the header "
                          "'size' or 'gap_s,size'",
                   .names = Names::file});
    visit("recording_start", c.recording_start,
          FieldDoc{.doc = "entry of an episode's first job: drawn from its inputs, or the first; "
                          "after the last entry comes the first",
                   .choices = "random|first"});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training; with jobs=inf also the "
                          "length of an episode that brings no horizon of its own",
                   .unit = "s",
                   .min = 1e-9});
  }

  /// The rules between fields.
  static void check(const LoadBalanceConfig&, Violations&);

  /// Work per second of every server: `rates`, or Park's rule.
  [[nodiscard]] std::vector<double> server_rates() const;
};

/// The example of Mao et al., ICLR 2019, section 3: two equal servers, sizes Pareto (100, 1.5), a
/// job every 55 s on average. The paper does not give the rate; 3 makes the load that of the ten
/// servers, 0.909.
inline constexpr const char* kTwoServers = "load_balance(servers=2,rates=[3,3])";

}  // namespace park::load_balance
