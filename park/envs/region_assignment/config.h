#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"

namespace park::region_assignment {

inline constexpr const char* kRegionAssignmentName = "region_assignment";

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr std::int32_t kMaxRegions = 8;
inline constexpr double kMaxWeight = 1000;
inline constexpr double kMaxAccounts = 1e6;  ///< of an episode
inline constexpr double kMaxPrice = 1000;
inline constexpr double kMaxTimeS = 1e9;  ///< of mean times
inline constexpr double kDayS = 86400;

/// The defaults are a day of 300 accounts that last a quarter of a day. Eight regions are offered
/// 85 % of their capacity.
struct RegionConfig {
  std::int32_t accounts = 300;
  double interval_s = 288;
  std::string lifetimes = "exponential";
  double lifetime_s = 21600;
  double load = 0.85;
  std::int32_t regions = kMaxRegions;
  std::vector<double> capacities{};
  std::vector<double> prices{};
  double price_weight = 0.5;
  double round_trip_unit_s = 0.1;
  std::string reject = "full";
  double reject_cost = 5;
  double weight_shape = 1.8;
  double weight_max = 10;
  double sun = 0.9;
  std::int32_t migrations = 0;
  double epoch_s = 3600;
  double migration_cost = 0.1;

  bool operator==(const RegionConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("accounts", c.accounts,
          FieldDoc{.doc = "accounts of an episode", .min = 1, .max = kMaxAccounts});
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "mean time between Poisson arrivals",
                   .unit = "s",
                   .min = 1e-3,
                   .max = kMaxTimeS});
    visit("lifetimes", c.lifetimes,
          FieldDoc{.doc = "exponential: accounts leave and free their capacity; permanent: none "
                          "leaves, the static problem",
                   .choices = "exponential|permanent"});
    visit(
        "lifetime_s", c.lifetime_s,
        FieldDoc{.doc = "exponential: mean lifetime", .unit = "s", .min = 1e-3, .max = kMaxTimeS});
    visit("load", c.load,
          FieldDoc{.doc = "permanent: weight of the episode's accounts / capacity of all regions; "
                          "exponential: mean weight that is present, if none is rejected, / "
                          "capacity of all regions",
                   .min = 0.01,
                   .max = 1,
                   .open_max = true});
    visit("regions", c.regions,
          FieldDoc{.doc = "the first of the eight regions", .min = 1, .max = kMaxRegions});
    visit("capacities", c.capacities,
          FieldDoc{.doc = "shares of the capacity, one per region, of any sum; empty: equal",
                   .min = 1e-3,
                   .max = 1e3});
    visit("prices", c.prices,
          FieldDoc{.doc = "price of each region; empty: those of the table in the page",
                   .min = 0,
                   .max = kMaxPrice});
    visit("price_weight", c.price_weight,
          FieldDoc{.doc = "cost of a unit of weight at the price 1", .min = 0, .max = 1e3});
    visit("round_trip_unit_s", c.round_trip_unit_s,
          FieldDoc{.doc = "round trip that costs a unit of weight as much as 1",
                   .unit = "s",
                   .min = 1e-3,
                   .max = 1e3});
    visit("reject", c.reject,
          FieldDoc{.doc = "when rejecting is legal; full: no region has capacity for the account",
                   .choices = "full|always"});
    visit("reject_cost", c.reject_cost,
          FieldDoc{.doc = "cost of rejecting a unit of weight", .min = 0, .max = 1e3});
    visit("weight_shape", c.weight_shape,
          FieldDoc{.doc = "a in the weight 0.3 + Pareto(a), whose Pareto part is at least 1",
                   .min = 0.1,
                   .max = 100});
    visit("weight_max", c.weight_max,
          FieldDoc{.doc = "larger weights are cut to it", .min = 1.5, .max = kMaxWeight});
    visit("sun", c.sun,
          FieldDoc{.doc = "s in exp(s cos(angle to 14:00 solar time)), to which the rate of new "
                          "accounts of a site is proportional; 0: no site has a day",
                   .min = 0,
                   .max = 10});
    visit("migrations", c.migrations,
          FieldDoc{.doc = "accounts that may move at each epoch, at most; 0: none ever does",
                   .min = 0,
                   .max = 1000});
    visit("epoch_s", c.epoch_s,
          FieldDoc{.doc = "time between migrations", .unit = "s", .min = 1, .max = kMaxTimeS});
    visit("migration_cost", c.migration_cost,
          FieldDoc{.doc = "cost of moving a unit of weight", .min = 0, .max = 1e3});
  }

  /// The rules between fields.
  static void check(const RegionConfig&, Violations&);

  [[nodiscard]] bool permanent() const noexcept { return lifetimes == "permanent"; }
  [[nodiscard]] std::size_t region_count() const noexcept {
    return static_cast<std::size_t>(regions);
  }
  /// Share of each region in the capacity of all; they add up to 1. [regions]
  [[nodiscard]] std::vector<double> capacity_shares() const;
  /// [regions]
  [[nodiscard]] std::vector<double> region_prices() const;
};

}  // namespace park::region_assignment
