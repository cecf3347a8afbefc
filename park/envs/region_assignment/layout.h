// The observation, the action and the metrics of region_assignment. Each member declares a leaf, a
// head or a metric and is its handle afterwards. The environment declares with texts of the
// generator's statistics; policies bind a layout to a spec that they are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "park/core/categories.h"
#include "park/core/layout.h"
#include "park/envs/region_assignment/account_source.h"
#include "park/envs/region_assignment/config.h"
#include "park/envs/region_assignment/sites.h"

namespace park::region_assignment {

/// The leaves, heads and metrics of region_assignment. The elements of the group are the regions in
/// their order, then the choice to reject. Costs are those of this decision. `about` says what the
/// generator draws; it is empty where a layout binds.
struct RegionLayout : Layout {
  using Layout::Layout;

  /// What the generator draws, as texts for people.
  struct Drawn {
    std::string weight{}, home{}, home_share{}, spread{}, lifetime{}, load{}, round_trip{};
  };
  explicit RegionLayout(const Drawn& texts) : about(texts) {}

  static constexpr double kMostCapacity = 1e18;
  static constexpr double kMostCost = 1e10;
  static constexpr double kMostRoundTripS = 1;

  Drawn about{};

  LeafOf<double> time_s{
      observation,
      "time_s",
      {.high = kMaxTimeS * 1e8, .unit = "s", .doc = "since the first arrival, at 00:00 UTC"}};
  LeafOf<float> weight{
      observation,
      "account.weight",
      {.high = kMaxWeight, .doc = "capacity that the account uses" + about.weight}};
  LeafOf<std::int32_t> home{observation,
                            "account.home",
                            {.high = kSites - 1,
                             .unit = std::string(kCategory),
                             .doc = "site with most of its users in expectation" + about.home}};
  LeafOf<float> home_share{observation,
                           "account.home_share",
                           {.high = 1, .doc = "share of its demand there" + about.home_share}};
  LeafOf<float> spread{observation,
                       "account.spread",
                       {.low = 1,
                        .high = kAccountSites,
                        .doc = "effective number of its sites, 1 / sum of the squared shares of "
                               "the demand" +
                               about.spread}};
  LeafOf<std::uint8_t> migrates{
      observation,
      "account.migrates",
      {.high = 1, .doc = "1: it is in a region and may move; 0: it arrives"}};
  LeafOf<float> to_come{
      observation,
      "accounts.to_come",
      {.high = kMaxAccounts, .unit = "accounts", .doc = "that arrive later in this episode"}};
  LeafOf<float> interval_s{
      observation,
      "accounts.interval_s",
      {.high = kMaxTimeS, .unit = "s", .doc = "mean time between arrivals; fixed"}};
  LeafOf<float> lifetime_s{
      observation,
      "accounts.lifetime_s",
      {.high = kMaxTimeS,
       .unit = "s",
       .doc = "mean lifetime; 0 where accounts are permanent; fixed" + about.lifetime}};

  GroupOf regions{observation, "regions", kMaxRegions + 1};
  LeafOf<std::int32_t> number{
      regions,
      "region.number",
      {.high = kMaxRegions,
       .unit = std::string(kCategory),
       .doc = "number of the region, from 0; 8 for the choice to reject; fixed"}};
  LeafOf<std::uint8_t> reject{
      regions, "region.reject", {.high = 1, .doc = "1: the choice to reject, the last element"}};
  LeafOf<float> capacity{regions,
                         "region.capacity",
                         {.high = kMostCapacity,
                          .doc = "weight that the region has capacity for; fixed" + about.load}};
  LeafOf<float> free{
      regions, "region.free", {.high = kMostCapacity, .doc = "capacity that is not used"}};
  LeafOf<float> used_share{
      regions, "region.used_share", {.high = 1, .doc = "used capacity / capacity"}};
  LeafOf<float> price{regions, "region.price", {.high = kMaxPrice, .doc = "price; fixed"}};
  LeafOf<float> round_trip_s{
      regions,
      "region.round_trip_s",
      {.high = kMostRoundTripS,
       .unit = "s",
       .doc = "mean round trip of the account's demand to the region" + about.round_trip}};
  LeafOf<float> cost{
      regions,
      "region.cost",
      {.low = -kMostCost,
       .high = kMostCost,
       .doc = "cost of this choice, minus its reward; of a move the difference of two costs, plus "
              "that of moving, and 0 of staying"}};
  LeafOf<float> leaving{
      regions,
      "region.leaving",
      {.high = kMostCapacity, .doc = "weight that is expected to leave within an hour"}};
  LeafOf<float> sun{
      regions,
      "region.sun",
      {.low = -1, .high = 1, .doc = "cosine of the angle of its solar time to 14:00"}};
  LeafOf<float> sun_rising{
      regions,
      "region.sun_rising",
      {.low = -1, .high = 1, .doc = "sine of that angle, positive before 14:00"}};
  LeafOf<std::uint8_t> current{
      regions, "region.current", {.high = 1, .doc = "1: the account is there already"}};
  LeafOf<std::uint8_t> mask{
      regions,
      "mask.region",
      {.high = 1,
       .doc = "1: free capacity for the account, or its present region; rejecting is legal for "
              "accounts that arrive, by the field `reject`"}};

  LeafOf<std::int32_t> region{
      action, "region", {.doc = "where the account goes", .index_of = "regions"}};

  MetricOf cost_per_weight{
      metrics, "cost_per_weight", {.doc = "total_cost / weight of the accounts that arrived"}};
  MetricOf total_cost{metrics, "total_cost", {.doc = "costs of all decisions, minus the rewards"}};
  MetricOf avg_round_trip_s{
      metrics,
      "avg_round_trip_s",
      {.unit = "s",
       .doc = "weighted mean round trip of the accounts that were not rejected, where they were "
              "put first; 0 if all were"}};
  MetricOf avg_price{
      metrics, "avg_price", {.doc = "the same mean of the price; 0 if all were rejected"}};
  MetricOf rejected_share{
      metrics, "rejected_share", {.doc = "weight rejected / weight that arrived"}};
  MetricOf rejected{
      metrics, "rejected", {.unit = "accounts", .doc = "accounts that were rejected"}};
  MetricOf cheapest_share{metrics,
                          "cheapest_share",
                          {.lower_is_better = false,
                           .doc = "weight put into the region that costs it least, full or not / "
                                  "weight that arrived"}};
  MetricOf peak_used_share{
      metrics, "peak_used_share", {.doc = "most weight present at once / capacity of all regions"}};
  MetricOf moved{metrics, "moved", {.unit = "accounts", .doc = "moves between regions"}};
};

}  // namespace park::region_assignment
