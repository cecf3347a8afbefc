#include "park/net/policer.h"

#include <gtest/gtest.h>

namespace park::net {
namespace {

TEST(Policer, AdmitsABurstAndThenItsRate) {
  Policer policer({.bytes_per_s = 1.5e6, .burst_bytes = 15e3});
  int admitted = 0;
  for (int i = 0; i < 20; ++i) admitted += policer.admit(1500, 0);
  EXPECT_EQ(admitted, 10);
  EXPECT_EQ(policer.admits_at(1500, 0), kMillisecond);
  EXPECT_FALSE(policer.admit(1500, kMillisecond - 1));
  EXPECT_TRUE(policer.admit(1500, kMillisecond));
}

TEST(Policer, PassesWhatItsCapacitySays) {
  Policer policer({.bytes_per_s = 1e6, .burst_bytes = 2e4});
  double passed = 0;
  Nanos now = 0;
  for (; now < 100 * kSecond; now += kMillisecond / 2)
    passed += policer.admit(1500, now) ? 1500 : 0;
  EXPECT_NEAR(passed, policer.capacity(now), 1500);
}

TEST(Policer, KeepsNoMoreThanABurst) {
  Policer policer({.bytes_per_s = 1e6, .burst_bytes = 3000});
  EXPECT_TRUE(policer.admit(1500, 100 * kSecond));
  EXPECT_TRUE(policer.admit(1500, 100 * kSecond));
  EXPECT_FALSE(policer.admit(1500, 100 * kSecond));
}

TEST(Policer, IsAbsentWithoutARate) { EXPECT_FALSE(Policer().active()); }

}  // namespace
}  // namespace park::net
