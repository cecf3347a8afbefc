#include "park/net/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "park/core/error.h"
#include "park/net/hand_over.h"
#include "park/net/opportunity_file.h"

namespace park::net {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Link, SendsAtItsRate) {
  Link link;
  link.reset({.bytes_per_s = 1.5e6}, Rng(1));
  EXPECT_EQ(link.departure(5 * kMillisecond, 1500), 6 * kMillisecond);
  EXPECT_DOUBLE_EQ(link.capacity(kSecond), 1.5e6);
}

TEST(Link, CarriesItsCapacityWhileItIsBusy) {
  Link link;
  link.reset({.bytes_per_s = 1e6, .sigma = 0.6, .outage_share = 0.05}, Rng(4));
  Nanos at = 0;
  double sent = 0;
  while (at < 60 * kSecond) {
    at = link.departure(at, 1500);
    sent += 1500;
  }
  EXPECT_NEAR(link.capacity(at), sent, 2);
}

TEST(Link, HasItsMeanRate) {
  double sum = 0;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Link link;
    link.reset({.bytes_per_s = 1e6, .sigma = 0.5}, Rng(k));
    sum += link.capacity(20 * kSecond) / 20e6;
  }
  EXPECT_NEAR(sum / 200, 1, 0.05);
}

TEST(Link, PoissonOpportunitiesHaveTheirRate) {
  Link link;
  link.reset({.bytes_per_s = 1.5e6, .poisson = true}, Rng(3));
  Nanos at = 0;
  double squares = 0;
  constexpr int kGaps = 20'000;
  for (int k = 0; k < kGaps; ++k) {
    const Nanos next = link.opportunity(at);
    squares += std::pow(to_seconds(next - at) * 1e3, 2);
    at = next;
  }
  EXPECT_NEAR(to_seconds(at) * 1e3 / kGaps, 1, 0.03);
  EXPECT_NEAR(squares / kGaps, 2, 0.15);  // of an exponential gap of mean 1
}

TEST(Link, RepeatsAList) {
  LinkConfig c;
  c.opportunities = std::make_shared<Opportunities>(Opportunities{{2, 5, 5, 10}});
  Link link;
  link.reset(c, Rng(1));
  std::vector<Nanos> ms;
  for (Nanos at = 0; ms.size() < 9;) ms.push_back((at = link.opportunity(at)) / kMillisecond);
  EXPECT_EQ(ms, (std::vector<Nanos>{2, 5, 5, 10, 12, 15, 15, 20, 22}));
  EXPECT_DOUBLE_EQ(link.capacity(20 * kMillisecond), 8 * 1500.0);
  EXPECT_EQ(link.opportunity(1000 * kMillisecond) / kMillisecond, 1000);
}

TEST(OpportunityFile, IsReadAndWritten) {
  const Opportunities all = parse_opportunities("0\n3\n3\n10\n", "x");
  EXPECT_EQ(opportunities_text(all), "0\n3\n3\n10\n");
}

TEST(OpportunityFile, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(error_of([] { static_cast<void>(parse_opportunities("1\n2.5\n", "up")); }),
            "up:2: must be one time in whole milliseconds from 0 to 4e9");
  EXPECT_EQ(error_of([] { static_cast<void>(parse_opportunities("5\n\n4\n", "up")); }),
            "up:3: goes back in time");
  EXPECT_EQ(error_of([] { static_cast<void>(parse_opportunities("0\n", "up")); }),
            "up: must have a time above 0, at which it begins again");
}

TEST(OpportunityFile, KeepsTheRateOfMeasurements) {
  const Opportunities all = opportunities_of_rates({0, 1, 2}, {12, 0, 24}, 3);
  EXPECT_NEAR(static_cast<double>(all.ms.size()), 3000, 1);
  const auto in_second = [&](std::uint32_t s) {
    return static_cast<double>(std::count_if(all.ms.begin(), all.ms.end(), [&](std::uint32_t ms) {
      return ms > s * 1000 && ms <= (s + 1) * 1000;
    }));
  };
  EXPECT_NEAR(in_second(0), 1000, 1);
  EXPECT_LE(in_second(1), 1);
  EXPECT_NEAR(in_second(2), 2000, 1);
}

TEST(HandOver, BringsParametersAcross) {
  for (const double value : {0.0, 0.05, 0.25, 0.4, 0.7, 1.0, 1.25, 5.0, 15.0, 640.0}) {
    const HandOver read = read_hand_over(hand_over_code(3, value));
    EXPECT_EQ(read.kind, 3);
    EXPECT_DOUBLE_EQ(read.second, value);
    const auto unit = static_cast<double>(static_cast<float>(to_unit(value)));
    EXPECT_DOUBLE_EQ(from_unit(unit), value);
  }
  for (const float plain : {0.0F, 1.0F, -1.0F, 1e-6F, -0x1p-59F, 0.5F})
    EXPECT_EQ(read_hand_over(plain).kind, 0) << plain;
}

}  // namespace
}  // namespace park::net
