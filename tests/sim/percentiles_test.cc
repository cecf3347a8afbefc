#include "park/sim/percentiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "park/core/rng.h"
#include "park/sim/response_log.h"

namespace park::sim {
namespace percentiles_test {

/// The definition: the smallest value that at least that share does not exceed.
double by_definition(std::vector<double> values, double percent) {
  std::ranges::sort(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (100.0 * static_cast<double>(i + 1) >= percent * static_cast<double>(values.size()))
      return values[i];
  return NAN;
}

TEST(Percentiles, FollowTheDefinition) {
  PercentileSearch search;
  Rng rng(1);
  for (std::size_t n = 1; n < 300; ++n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(rng.pareto(0.3, 1e-6));
    const Percentiles found = search.find(values);
    EXPECT_EQ(found.p50, by_definition(values, 50)) << n;
    EXPECT_EQ(found.p95, by_definition(values, 95)) << n;
    EXPECT_EQ(found.p99, by_definition(values, 99)) << n;
  }
}

TEST(Percentiles, HoldOutsideOfTheGroups) {
  const std::vector<double> values{1e300, -5, 0, 1e-300, 2e300, -1, 1e12, 2e12};
  const Percentiles found = PercentileSearch().find(values);
  EXPECT_EQ(found.p50, 1e-300);
  EXPECT_EQ(found.p99, 2e300);
  const Percentiles low = PercentileSearch().find(std::vector<double>{-1, -7, -3});
  EXPECT_EQ(low.p50, -3);
  EXPECT_EQ(low.p95, -1);
}

TEST(Percentiles, AreNanWithoutValues) {
  const Percentiles found = PercentileSearch().find({});
  EXPECT_TRUE(std::isnan(found.p50) && std::isnan(found.p95) && std::isnan(found.p99));
}

TEST(ResponseLog, BeginsAgain) {
  ResponseLog log;
  for (const double t : {4.0, 1.0, 1.0}) log.add(t);
  EXPECT_EQ(log.mean_s(), 2);
  EXPECT_EQ(log.percentiles_s().p50, 1);
  log.clear();
  EXPECT_EQ(log.count(), 0u);
  EXPECT_TRUE(std::isnan(log.mean_s()));
  log.add(3);
  EXPECT_EQ(log.percentiles_s().p99, 3);
}

}  // namespace percentiles_test
}  // namespace park::sim
