// What the generator of region_assignment draws, against what it says of itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/region_assignment/account_source.h"
#include "park/envs/region_assignment/region_assignment.h"
#include "park/envs/region_assignment/statistics.h"

namespace park::test {
namespace region_generator_test {

using namespace region_assignment;

constexpr int kDrawn = 40'000;

struct Moments {
  double sum = 0, squares = 0;
  int n = 0;
  void add(double x) { sum += x, squares += x * x, ++n; }
  [[nodiscard]] double mean() const { return sum / n; }
  [[nodiscard]] double deviation() const { return std::sqrt(squares / n - mean() * mean()); }
  /// Five standard errors: a test that fails by accident once in a million draws of inputs.
  void expect(double exact) const { EXPECT_NEAR(mean(), exact, 5 * deviation() / std::sqrt(n)); }
};

TEST(Generator, DrawsWhatItsStatisticsSay) {
  for (const char* text :
       {"region_assignment", "region_assignment(sun=2,regions=3,weight_shape=3)"}) {
    SCOPED_TRACE(text);
    const auto c = parse_config<RegionConfig>(parse_text(text));
    const GeneratorStatistics s = generator_statistics(c);
    AccountSource source(c);
    source.reset(7);
    Moments weight, home, spread, lifetime, nearest, random_trip, first_site, peak_site;
    std::vector<double> weights;
    double before_s = 0;
    for (int i = 0; i < kDrawn; ++i) {
      const Account a = source.next();
      weight.add(a.weight);
      weights.push_back(a.weight);
      home.add(a.demand[0]);
      spread.add(a.spread());
      lifetime.add(a.lifetime_s);
      const auto& trips = round_trips_s()[a.sites[0]];
      nearest.add(*std::min_element(trips.begin(), trips.begin() + c.regions));
      double mean_s = 0;
      for (std::size_t k = 0; k < c.region_count(); ++k) mean_s += a.round_trip_s(k) / c.regions;
      random_trip.add(mean_s);
      const bool is_first = a.sites[0] == 0;
      first_site.add(is_first);
      if (sun_at(kCities[0].longitude, a.arrives_s).high > 0.98) peak_site.add(is_first);
      before_s = a.arrives_s;
    }
    weight.expect(s.weight_mean);
    EXPECT_NEAR(weight.deviation(), s.weight_deviation, 0.03 * s.weight_deviation);
    std::ranges::sort(weights, std::greater<>());
    double heaviest = 0;
    for (int i = 0; i < kDrawn / 10; ++i) heaviest += weights[static_cast<std::size_t>(i)];
    EXPECT_NEAR(heaviest / weight.sum, s.largest_share, 0.01);
    home.expect(s.home_share_mean);
    EXPECT_NEAR(home.deviation(), s.home_share_deviation, 0.005);
    spread.expect(s.spread_mean);
    lifetime.expect(c.lifetime_s);
    EXPECT_NEAR(before_s / (kDrawn - 1), c.interval_s, 0.03 * c.interval_s);
    nearest.expect(s.nearest_round_trip_s);
    random_trip.expect(s.random_round_trip_s);
    const double ratio = peak_site.mean() / first_site.mean();
    EXPECT_NEAR(ratio, s.peak_activity, 0.15 * s.peak_activity);
  }
}

TEST(Generator, DescribePrintsItsStatistics) {
  const RegionConfig c;
  const Spec spec = RegionAssignment::spec(c);
  const auto doc = [&](const char* leaf) { return spec.observation.find(leaf)->doc; };
  EXPECT_NE(doc("account.weight").find("; mean 2.3"), std::string::npos) << doc("account.weight");
  EXPECT_NE(doc("account.home_share").find("; mean 0.5, standard deviation 0.224"),
            std::string::npos);
  EXPECT_NE(doc("accounts.lifetime_s").find("; 75 accounts are present"), std::string::npos);
  EXPECT_NE(doc("region.capacity").find("; offered 0.85"), std::string::npos);
  EXPECT_NE(doc("account.home").find("times its mean share"), std::string::npos);
}

TEST(Generator, AnAccountDoesNotDependOnTheOthers) {
  const auto c = parse_config<RegionConfig>(parse_text("region_assignment(sun=0)"));
  const auto faster =
      parse_config<RegionConfig>(parse_text("region_assignment(sun=0,interval_s=1)"));
  AccountSource a(c), b(faster);
  a.reset(3), b.reset(3);
  for (int i = 0; i < 50; ++i) {
    const Account x = a.next(), y = b.next();
    EXPECT_EQ(x.weight, y.weight);
    EXPECT_EQ(x.lifetime_s, y.lifetime_s);
    EXPECT_EQ(x.sites, y.sites);
    EXPECT_EQ(x.demand, y.demand);
  }
}

}  // namespace region_generator_test
}  // namespace park::test
