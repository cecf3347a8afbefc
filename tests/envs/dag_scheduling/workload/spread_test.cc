#include "park/envs/dag_scheduling/workload/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::test {
namespace spread_test {

TEST(Spread, QuantilesInvertProbabilities) {
  EXPECT_NEAR(dag_scheduling::workload::normal_probability(1.959963984540054), 0.975, 1e-15);
  EXPECT_NEAR(dag_scheduling::workload::normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(dag_scheduling::workload::normal_quantile(0.5), 0, 1e-15);
  for (const double p : {1e-15, 1e-6, 0.01, 0.3, 0.7, 0.999999}) {
    EXPECT_NEAR(
        dag_scheduling::workload::normal_probability(dag_scheduling::workload::normal_quantile(p)) /
            p,
        1, 1e-12)
        << p;
    EXPECT_NEAR(dag_scheduling::workload::normal_quantile(p),
                -dag_scheduling::workload::normal_quantile(1 - p), 1e-3)
        << p;
  }
}

TEST(Spread, HasTheMeanAndTheDeviationAskedFor) {
  for (const double variation : {0.0, 0.01, 0.4, 1.0, 2.0, 3.0}) {
    const auto shape = dag_scheduling::workload::Spread(variation).shape();
    const double count = static_cast<double>(shape.size());
    const double mean = std::accumulate(shape.begin(), shape.end(), 0.0) / count;
    double squares = 0;
    for (const double x : shape) squares += (x - mean) * (x - mean) / count;
    EXPECT_NEAR(mean, 1, 1e-12);
    EXPECT_NEAR(std::sqrt(squares), variation, 1e-9);
    EXPECT_TRUE(std::is_sorted(shape.begin(), shape.end()));
    EXPECT_GT(shape[0], 0);
  }
}

/// With many numbers it would be the lognormal distribution: its logarithms are normal quantiles.
TEST(Spread, IsLognormal) {
  const auto shape = dag_scheduling::workload::Spread(0.8).shape();
  const double middle = (std::log(shape[15]) + std::log(shape[16])) / 2;
  const double scale =
      (std::log(shape[31]) - middle) / dag_scheduling::workload::normal_quantile(31.5 / 32);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const double z = dag_scheduling::workload::normal_quantile((static_cast<double>(i) + 0.5) / 32);
    EXPECT_NEAR(std::log(shape[i]), middle + scale * z, 1e-9);
  }
}

TEST(Spread, GivesWholeMilliseconds) {
  using Samples = std::vector<std::uint32_t>;
  EXPECT_EQ(dag_scheduling::workload::Spread(0).samples_ms(1.2345), Samples{1235});
  EXPECT_EQ(dag_scheduling::workload::Spread(0).samples_ms(1e-9), Samples{1});
  EXPECT_EQ(dag_scheduling::workload::Spread(1).samples_ms(1e5).size(), 32U);
  EXPECT_LT(dag_scheduling::workload::Spread(3).samples_ms(1e5).back(), 4294967295U);
}

}  // namespace spread_test
}  // namespace park::test
