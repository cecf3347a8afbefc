// Episodes of region_assignment that are worked out by hand, the generator, and what a
// configuration may have wrong.
#include "park/envs/region_assignment/region_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/envs/region_assignment/hindsight.h"
#include "park/envs/region_assignment/sites.h"
#include "tests/kit/env_player.h"
#include "tests/kit/total_reward.h"

namespace park::test {
namespace region_assignment_test {

using namespace region_assignment;

/// Steps one region_assignment by hand.
class Player : public EnvPlayer<RegionAssignment> {
 public:
  explicit Player(const std::string& fields)
      : EnvPlayer("region_assignment(" + fields + ")", "region") {}
  [[nodiscard]] std::vector<double> seen(std::string_view leaf) const {
    return values<float>(leaf);
  }
  [[nodiscard]] std::vector<double> mask() const { return values<std::uint8_t>("mask.region"); }
  [[nodiscard]] bool migrates() const { return value<std::uint8_t>("account.migrates") != 0; }
  /// The legal choice of the least cost.
  [[nodiscard]] int cheapest() const {
    const std::vector<double> cost = seen("region.cost"), legal = mask();
    std::size_t best = cost.size();
    for (std::size_t e = 0; e < cost.size(); ++e)
      if (legal[e] != 0 && (best == cost.size() || cost[e] < cost[best])) best = e;
    return static_cast<int>(best);
  }
};

constexpr Episode kEpisode{.id = 0, .inputs = 3, .dynamics = 4, .horizon_s = kInf};

RegionConfig config(const std::string& fields) {
  return parse_config<RegionConfig>(parse_text("region_assignment(" + fields + ")"));
}

TEST(Sites, DistancesAreThoseOfAtlases) {
  const Place& ashburn = kRegions[0].place;
  const Place &london = kCities[14], &tokyo = kCities[38], &sydney = kCities[39];
  EXPECT_NEAR(great_circle_km(london, tokyo), 9560, 50);
  EXPECT_NEAR(great_circle_km(ashburn, london), 5920, 60);
  EXPECT_NEAR(great_circle_km(sydney, kRegions[5].place), 10'150, 80);
  EXPECT_EQ(great_circle_km(london, london), 0);
  EXPECT_NEAR(round_trip_s(london, tokyo), 0.002 + 1.3 * 2 * 9.560 / 200, 1e-3);
}

TEST(Sites, TheSunIsHighestAtTwoInTheAfternoon) {
  EXPECT_NEAR(sun_at(0, 14 * 3600).high, 1, 1e-12);
  EXPECT_NEAR(sun_at(0, 2 * 3600).high, -1, 1e-12);
  EXPECT_NEAR(sun_at(90, 8 * 3600).high, 1, 1e-12) << "the east is ahead";
  EXPECT_NEAR(sun_at(0, 8 * 3600).rising, 1, 1e-12);
  EXPECT_NEAR(sun_at(0, 20 * 3600).rising, -1, 1e-12);
}

TEST(RegionAssignment, CostsAreThoseOfTheFormula) {
  Player p("accounts=5,lifetimes=permanent,prices=[1,2,3,4,5,6,7,8],price_weight=0.25");
  p.reset(kEpisode);
  const KnownEpisode known = known_episode(p.config, kEpisode.inputs);
  const Account& a = known.accounts[0];
  const std::vector<double> cost = p.seen("region.cost"), trip_s = p.seen("region.round_trip_s");
  for (std::size_t k = 0; k < 8; ++k) {
    double mean_s = 0;
    for (std::size_t i = 0; i < kAccountSites; ++i)
      mean_s += a.demand[i] * round_trip_s(kCities[a.sites[i]], kRegions[k].place);
    EXPECT_NEAR(trip_s[k], mean_s, 1e-6);
    const double price = 1 + static_cast<double>(k);
    EXPECT_NEAR(cost[k], a.weight * (mean_s / 0.1 + 0.25 * price), 1e-4);
  }
  EXPECT_NEAR(cost[8], 5 * a.weight, 1e-4);
  EXPECT_EQ(p.value<std::int32_t>("account.home"), static_cast<double>(a.sites[0]));
  EXPECT_NEAR(p.value<float>("account.spread"), a.spread(), 1e-5);
  const Outcome o = p.step(3);
  EXPECT_NEAR(o.reward, -cost[3], 1e-4);
}

TEST(RegionAssignment, AFullRegionIsMasked) {
  // One region for a load of 0.5 of its capacity would hold all; three quarters go elsewhere.
  Player p("accounts=40,lifetimes=permanent,load=0.99,regions=2,capacities=[1,9]");
  p.reset(kEpisode);
  double free = p.seen("region.free")[0];
  bool was_full = false;
  for (Outcome o; o.end == End::none;) {
    const double weight = p.value<float>("account.weight");
    EXPECT_EQ(p.mask()[0] != 0, weight <= free);
    EXPECT_NEAR(p.seen("region.free")[0], free, 1e-3);
    const bool none = p.mask()[0] == 0 && p.mask()[1] == 0;
    EXPECT_EQ(p.mask()[2] != 0, none) << "rejecting is legal where all are full";
    const int choice = p.mask()[0] != 0 ? 0 : p.mask()[1] != 0 ? 1 : 2;
    was_full = was_full || choice != 0;
    if (choice == 0) free -= weight;
    o = p.step(choice);
  }
  EXPECT_TRUE(was_full);
}

TEST(RegionAssignment, AccountsLeaveAfterTheirLifetime) {
  Player p("accounts=60,load=0.01,lifetime_s=1000");
  p.reset(kEpisode);
  const KnownEpisode known = known_episode(p.config, kEpisode.inputs);
  for (std::size_t i = 0; i < known.accounts.size(); ++i) {
    const double now_s = known.accounts[i].arrives_s;
    EXPECT_DOUBLE_EQ(p.value<double>("time_s"), now_s);
    double present = 0;
    for (std::size_t j = 0; j < i; ++j)
      if (known.accounts[j].arrives_s + known.accounts[j].lifetime_s > now_s)
        present += known.accounts[j].weight;
    const std::vector<double> share = p.seen("region.used_share"), all = p.seen("region.capacity");
    double used = 0;
    for (std::size_t k = 0; k < 8; ++k) used += share[k] * all[k];
    EXPECT_NEAR(used, present, 1e-3) << i;
    EXPECT_NEAR(p.seen("region.leaving")[2], share[2] * all[2] * (1 - std::exp(-3.6)), 1e-3);
    static_cast<void>(p.step(p.cheapest()));
  }
}

TEST(RegionAssignment, ALoadOfPermanentAccountsIsExact) {
  Player p("accounts=70,lifetimes=permanent,load=0.8,reject=always");
  p.reset(kEpisode);
  const KnownEpisode known = known_episode(p.config, kEpisode.inputs);
  double weight = 0;
  for (const Account& a : known.accounts) weight += a.weight;
  EXPECT_NEAR(weight / known.capacity, 0.8, 1e-12);
  double rewards = 0;
  for (Outcome o; o.end == End::none; rewards += o.reward) {
    EXPECT_EQ(p.mask()[8], 1);
    o = p.step(8);
  }
  EXPECT_NEAR(rewards, -5 * weight, 1e-9 * weight);
  EXPECT_NEAR(p.metric("cost_per_weight"), 5, 1e-12);
  EXPECT_EQ(p.metric("rejected"), 70);
  EXPECT_EQ(p.metric("rejected_share"), 1);
  EXPECT_EQ(p.metric("avg_round_trip_s"), 0);
}

TEST(RegionAssignment, AMoveCostsTheDifference) {
  Player p("accounts=150,load=0.95,migrations=2,epoch_s=1800,migration_cost=0.05");
  p.reset(kEpisode);
  std::map<double, int> asked;  // accounts per epoch
  double costs = 0;
  std::size_t moves = 0;
  for (Outcome o; o.end == End::none;) {
    const std::vector<double> cost = p.seen("region.cost");
    if (p.migrates()) {
      const auto current = p.values<std::uint8_t>("region.current");
      const auto here = std::ranges::find(current, 1) - current.begin();
      const double time_s = p.value<double>("time_s");
      EXPECT_EQ(std::fmod(time_s, 1800), 0);
      ++asked[time_s];
      EXPECT_EQ(std::ranges::count(current, 1), 1);
      EXPECT_EQ(cost[static_cast<std::size_t>(here)], 0) << "staying";
      EXPECT_EQ(p.mask()[static_cast<std::size_t>(here)], 1);
      EXPECT_EQ(p.mask().back(), 0) << "nobody is thrown out";
      moves += p.cheapest() != here ? 1 : 0;
    }
    const auto choice = static_cast<std::size_t>(p.cheapest());
    o = p.step(static_cast<int>(choice));
    EXPECT_NEAR(o.reward, -cost[choice], 1e-3);
    costs -= o.reward;
  }
  EXPECT_FALSE(asked.empty());
  EXPECT_LE(std::ranges::max_element(asked, {}, [](const auto& e) { return e.second; })->second, 2);
  EXPECT_GT(moves, 0u);
  EXPECT_EQ(p.metric("moved"), static_cast<double>(moves));
  EXPECT_NEAR(p.metric("total_cost"), costs, 1e-9 * costs);
}

TEST(RegionAssignment, EpochsWithoutGainAreSkipped) {
  // A second is an epoch of a day: asking each of them would take minutes.
  Player p("accounts=4,interval_s=1e9,lifetime_s=1e9,epoch_s=1,migrations=1,load=0.01");
  const auto outcomes = p.play(kEpisode, [&](std::size_t) { return p.cheapest(); });
  EXPECT_GE(outcomes.size(), 4u);
  EXPECT_LT(outcomes.size(), 20u);
}

TEST(RegionAssignment, IsCutAtTheHorizon) {
  Player p("accounts=50");
  Episode cut = kEpisode;
  cut.horizon_s = 4000;
  double elapsed_s = 0;
  for (const Outcome& o : p.play(cut, [&](std::size_t) { return p.cheapest(); })) {
    elapsed_s += o.elapsed_s;
    EXPECT_NE(o.end, End::terminated);
  }
  EXPECT_DOUBLE_EQ(elapsed_s, 4000);
}

std::string refusal(const std::string& fields) {
  try {
    static_cast<void>(config(fields));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(RegionAssignment, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal("load=1"), "load = 1 is outside [0.01, 1)");
  EXPECT_EQ(refusal("load=1.2"), "load = 1.2 is outside [0.01, 1)");
  EXPECT_EQ(refusal("capacities=[1,2]"),
            "capacities has 2 values; allowed are none or one for each of the regions = 8");
  EXPECT_EQ(refusal("regions=2,prices=[1,2,3]"),
            "prices has 3 values; allowed are none or one for each of the regions = 2");
  EXPECT_EQ(refusal("lifetimes=permanent,migrations=1"),
            "migrations = 1 is allowed only where lifetimes = exponential");
  for (const char* fields : {"prices=[nan]", "capacities=[-1]", "weight_max=nan", "accounts=0",
                             "interval_s=-1", "regions=9", "lifetimes=short", "sun=inf"})
    EXPECT_NE(refusal(fields), "") << fields;
}

TEST(Futures, DrawTheNextArrivalAndHowLongTheAccountStays) {
  Player p("accounts=3,interval_s=1000,lifetime_s=1000,regions=1");
  p.reset(kEpisode);
  Batch action(p.spec.action), row(p.spec.observation);
  action.resize(1);
  action.row(0).scalar(action.field<std::int32_t>("region")) = 0;
  double gaps_s = 0, least_left_s = kInf, most_stayed_s = 0;
  constexpr std::uint64_t kFutures = 400;
  for (std::uint64_t seed = 0; seed < kFutures; ++seed) {
    row.clear();
    const Outcome o =
        p.env.clone_with_future(seed)->step(std::as_const(action).row(0), row.append());
    const bool left = std::as_const(row).row(0)[row.field<float>("region.used_share")][0] == 0;
    gaps_s += o.elapsed_s;
    if (left)
      least_left_s = std::min(least_left_s, o.elapsed_s);
    else
      most_stayed_s = std::max(most_stayed_s, o.elapsed_s);
  }
  EXPECT_NEAR(gaps_s / kFutures, 1000, 200) << "four standard errors";
  EXPECT_LT(least_left_s, most_stayed_s) << "one time of leaving would order them";
}

TEST(Futures, LetLookaheadGainOnItsBase) {
  const char* env = "region_assignment(accounts=15,migrations=1)";
  EXPECT_GT(total_reward(env, "lookahead(base=random,candidates=4,futures=4)", 3),
            total_reward(env, "random", 3));
}

}  // namespace region_assignment_test
}  // namespace park::test
