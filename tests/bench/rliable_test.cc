// The statistics of suites against rliable's, recorded by scripts/record_rliable.py. What is not
// random agrees to rounding; intervals as far as two bootstraps do.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "park/bench/aggregate.h"
#include "park/bench/bootstrap.h"

namespace park::bench {
namespace rliable_test {

using Json = nlohmann::json;

constexpr double kExact = 1e-12;
constexpr BootstrapOptions kMany{.replicates = 20'000};

const Json& recorded() {
  static const Json json = [] {
    std::ifstream file(PARK_SOURCE_DIR "/tests/data/suite/rliable.json");
    return Json::parse(file);
  }();
  return json;
}

Strata scores_of(const std::string& policy) {
  return sorted_strata(recorded().at("policies").at(policy).at("scores_by_task").get<Strata>());
}

/// Half of the width is what both bootstraps are sure of to some percent.
void expect_interval(const Interval& ours, const Json& theirs, double share = 0.03) {
  const double low = theirs.at(0), high = theirs.at(1);
  EXPECT_NEAR(ours.low, low, share * (high - low));
  EXPECT_NEAR(ours.high, high, share * (high - low));
}

class Rliable : public testing::TestWithParam<const char*> {};

TEST_P(Rliable, AggregatesAgree) {
  const Strata scores = scores_of(GetParam());
  const std::vector<std::pair<const char*, Statistic>> all{{"mean", mean_of},
                                                           {"median", median_of_means},
                                                           {"iqm", interquartile_mean},
                                                           {"optimality_gap", optimality_gap}};
  for (const auto& [name, statistic] : all) {
    SCOPED_TRACE(name);
    const Json& theirs = recorded().at("policies").at(GetParam()).at("aggregates").at(name);
    EXPECT_NEAR(statistic(scores), theirs.at("value").get<double>(), kExact);
    expect_interval(bootstrap(scores, {statistic}, kMany)[0], theirs.at("interval"));
  }
}

TEST_P(Rliable, ProfilesAgree) {
  const Strata scores = scores_of(GetParam());
  const std::vector<double> limits = recorded().at("limits");
  const Json& theirs = recorded().at("policies").at(GetParam()).at("profile");
  const std::vector<double> ours = profile(scores, limits);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    EXPECT_NEAR(ours[i], theirs.at("value").at(i).get<double>(), kExact) << limits[i];
    const Interval interval = bootstrap(scores, {[&](const Strata& s) {
                                          return profile(s, {&limits[i], 1})[0];
                                        }},
                                        kMany)[0];
    const double one = 1.01 / 75;  // shares are multiples of one score of 75
    EXPECT_NEAR(interval.low, theirs.at("low").at(i).get<double>(), one) << limits[i];
    EXPECT_NEAR(interval.high, theirs.at("high").at(i).get<double>(), one) << limits[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Rliable, testing::Values("a", "b"));

TEST(Bootstrap, IsRepeatableAndUndefinedForTooFewValues) {
  const Strata values = {{1, 2, 3, 4, 10}};
  const Interval once = bootstrap(values, {&mean_of})[0];
  const Interval again = bootstrap(values, {&mean_of})[0];
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  EXPECT_LT(once.low, 4);
  EXPECT_GT(once.high, 4);
  EXPECT_TRUE(std::isnan(bootstrap({}, {&mean_of})[0].low));
  EXPECT_TRUE(std::isnan(bootstrap({{1, 2}, {3}}, {&mean_of})[0].low));
}

TEST(SortedStrata, AnUndefinedValueLeavesNothing) {
  EXPECT_EQ(sorted_strata({{3, 1, 2}}), (Strata{{1, 2, 3}}));
  EXPECT_TRUE(sorted_strata({{3, 1}, {kUndefined, 1}}).empty());
}

}  // namespace rliable_test
}  // namespace park::bench
