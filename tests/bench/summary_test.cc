#include "park/bench/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "park/core/rng.h"

namespace park::bench {
namespace summary_test {

TEST(StudentT, QuantilesAgreeWithTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706204736, 1e-8);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.302652730, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776445105, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228138852, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.042272456, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 100), 1.983971519, 1e-9);
  EXPECT_NEAR(student_quantile(0.995, 7), 3.499483297, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.959966, 1e-5);
}

TEST(StudentT, DistributionIsSymmetricAndInvertsTheQuantile) {
  EXPECT_DOUBLE_EQ(student_cdf(0, 5), 0.5);
  EXPECT_NEAR(student_cdf(1, 1), 0.75, 1e-14);  // Cauchy: 1/2 + atan(1) / pi
  for (const double freedom : {1.0, 3.0, 29.0, 999.0}) {
    EXPECT_NEAR(student_cdf(-1.3, freedom) + student_cdf(1.3, freedom), 1, 1e-12);
    EXPECT_NEAR(student_cdf(student_quantile(0.9, freedom), freedom), 0.9, 1e-12);
    EXPECT_NEAR(student_quantile(0.1, freedom), -student_quantile(0.9, freedom), 1e-12);
  }
}

TEST(Summarize, HandComputedSample) {
  const Summary s = summarize(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_EQ(s.count, 5u);
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(s.sd, std::sqrt(2.5));
  const double half = 2.776445105 * std::sqrt(2.5) / std::sqrt(5.0);
  EXPECT_NEAR(s.ci95.low, 3 - half, 1e-8);
  EXPECT_NEAR(s.ci95.high, 3 + half, 1e-8);
}

TEST(Summarize, OneValueHasNoSpread) {
  const Summary s = summarize(std::vector<double>{7});
  EXPECT_DOUBLE_EQ(s.mean, 7);
  EXPECT_TRUE(std::isnan(s.sd));
  EXPECT_TRUE(std::isnan(s.ci95.low));
  EXPECT_TRUE(std::isnan(summarize({}).mean));
}

TEST(Summarize, EqualValuesHaveAnEmptyInterval) {
  const Summary s = summarize(std::vector<double>(10, 0.1));
  EXPECT_NEAR(s.sd, 0, 1e-17);
  EXPECT_NEAR(s.ci95.high - s.ci95.low, 0, 1e-15);
}

TEST(Summarize, UndefinedAndInfiniteValuesPassThrough) {
  EXPECT_TRUE(std::isnan(summarize(std::vector<double>{1, kUndefined, 3}).mean));
  const Summary s = summarize(std::vector<double>{1, INFINITY, 3});
  EXPECT_TRUE(std::isinf(s.mean));
  EXPECT_TRUE(std::isnan(s.sd));
}

// The textbook formula E[x^2] - E[x]^2 has no correct digit here.
TEST(Summarize, SmallSpreadOnALargeOffset) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e9 + i % 2);
  const Summary s = summarize(values);
  EXPECT_DOUBLE_EQ(s.mean, 1e9 + 0.5);
  EXPECT_NEAR(s.sd, std::sqrt(250.0 / 999.0), 1e-12);
}

TEST(StableSum, KeepsSmallTermsBesideLargeOnes) {
  std::vector<double> values{1e16};
  values.insert(values.end(), 10000, 1.0);
  values.push_back(-1e16);
  EXPECT_DOUBLE_EQ(stable_sum(values), 10000);
}

TEST(Summarize, IntervalCoversTheMeanAsOftenAsItSays) {
  Rng rng(5);
  constexpr int kRepetitions = 4000;
  int covered = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    std::vector<double> values;
    for (int i = 0; i < 6; ++i) values.push_back(3 + 2 * rng.normal());
    const Interval interval = summarize(values).ci95;
    covered += interval.low <= 3 && 3 <= interval.high;
  }
  // Four standard errors of a proportion of 0.95 in 4000.
  EXPECT_NEAR(static_cast<double>(covered) / kRepetitions, 0.95, 4 * 0.00345);
}

TEST(SummarizeDifference, PairingRemovesWhatBothShare) {
  const std::vector<double> a{101, 202, 303}, b{100, 200, 300};
  const Summary s = summarize_difference(a, b);
  EXPECT_DOUBLE_EQ(s.mean, 2);
  EXPECT_DOUBLE_EQ(s.sd, 1);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(quantile(std::vector<double>{1, kUndefined}, 0.5)));
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{1, INFINITY}, 0), 1);
}

}  // namespace summary_test
}  // namespace park::bench
