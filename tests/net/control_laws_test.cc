// Each law against a transcript of its document's pseudo code, on streams of packets with random gaps,
// and what the documents say in figures.
#include "park/net/control_laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "park/net/queue.h"

namespace park::net {
namespace {

/// RFC 8289, section 5, word for word: times in seconds, packets as their times of arrival.
class CodelOfTheRfc {
 public:
  std::deque<double> queue;
  std::vector<double> dropped;

  bool deque(double now, double& out) {
    Result r = dodequeue(now);
    if (dropping_) {
      if (!r.ok) dropping_ = false;
      while (now >= drop_next_ && dropping_) {
        dropped.push_back(r.packet);
        ++count_;
        r = dodequeue(now);
        if (!r.ok)
          dropping_ = false;
        else
          drop_next_ = law(drop_next_, count_);
      }
    } else if (r.ok) {
      dropped.push_back(r.packet);
      r = dodequeue(now);
      dropping_ = true;
      const unsigned delta = count_ - last_count_;
      count_ = 1;
      if (delta > 1 && now - drop_next_ < 16 * kInterval) count_ = delta;
      drop_next_ = law(now, count_);
      last_count_ = count_;
    }
    out = r.packet;
    return r.there;
  }

 private:
  struct Result {
    double packet = 0;
    bool there = false, ok = false;
  };
  static constexpr double kTarget = 0.005, kInterval = 0.1;

  Result dodequeue(double now) {
    Result r;
    if (queue.empty()) {
      first_above_ = 0;
      return r;
    }
    r.packet = queue.front();
    r.there = true;
    queue.pop_front();
    if (now - r.packet < kTarget || queue.size() * 1500 <= 1514) {
      first_above_ = 0;
    } else if (first_above_ == 0) {
      first_above_ = now + kInterval;
    } else if (now >= first_above_) {
      r.ok = true;
    }
    return r;
  }
  static double law(double t, unsigned count) { return t + kInterval / std::sqrt(count); }

  double first_above_ = 0, drop_next_ = 0;
  unsigned count_ = 0, last_count_ = 0;
  bool dropping_ = false;
};

TEST(Codel, DropsWhatThePseudoCodeDrops) {
  Queue queue;
  QueueConfig c;
  c.discipline = Discipline::codel;
  queue.reset(c, Rng(1));
  CodelOfTheRfc rfc;
  std::vector<double> dropped;
  Rng rng(7);
  Nanos arrival = kSecond, departure = kSecond;
  for (int k = 0; k < 40'000; ++k) {
    // Load that changes every 2000 packets between 0.6 and 1.4, on 10 Mbit/s.
    const double load = (k / 2000) % 2 == 0 ? 1.4 : 0.6;
    arrival += to_nanos(rng.exponential(0.0012 / load));
    while (departure <= arrival) {
      Packet p;
      double expected = 0;
      const auto drop = [&](const Packet& lost) { dropped.push_back(to_seconds(lost.enqueued)); };
      const bool there = queue.dequeue(departure, p, drop);
      ASSERT_EQ(there, rfc.deque(to_seconds(departure), expected)) << k;
      if (there) {
        ASSERT_NEAR(to_seconds(p.enqueued), expected, 1e-9);
      }
      departure += to_nanos(0.0012);
    }
    queue.enqueue({.number = static_cast<std::uint64_t>(k)}, arrival, [](const Packet&) {});
    rfc.queue.push_back(to_seconds(arrival));
  }
  ASSERT_GT(dropped.size(), 100u);
  ASSERT_EQ(dropped.size(), rfc.dropped.size());
  for (std::size_t i = 0; i < dropped.size(); ++i) ASSERT_NEAR(dropped[i], rfc.dropped[i], 1e-9);
}

TEST(Codel, LeavesTheLastPacketAlone) {
  Codel law;
  EXPECT_FALSE(law.above_target(kSecond, 1514, kSecond));
  EXPECT_FALSE(law.above_target(kSecond, 3000, kSecond));  // the interval begins
  EXPECT_FALSE(law.above_target(kSecond, 3000, kSecond + 99 * kMillisecond));
  EXPECT_TRUE(law.above_target(kSecond, 3000, kSecond + 100 * kMillisecond));
}

TEST(Codel, DropsFasterByTheSquareRoot) {
  Codel law;
  law.enter(0);
  EXPECT_EQ(law.next_drop(), 100 * kMillisecond);
  law.count_drop();
  law.schedule();
  EXPECT_NEAR(to_seconds(law.next_drop()), 0.1 + 0.1 / std::sqrt(2), 1e-8);
}

/// RFC 8033, appendix A, calculate_drop_prob.
TEST(Pie, UpdatesAsThePseudoCode) {
  Pie pie;
  double p = 0, old_s = 0;
  Rng rng(3);
  for (int k = 0; k < 5000; ++k) {
    const double delay_s = std::max(0.0, 0.02 * std::sin(k * 0.01) + rng.uniform() * 0.02);
    double change = 0.125 * (delay_s - 0.015) + 1.25 * (delay_s - old_s);
    if (p < 0.000001)
      change /= 2048;
    else if (p < 0.00001)
      change /= 512;
    else if (p < 0.0001)
      change /= 128;
    else if (p < 0.001)
      change /= 32;
    else if (p < 0.01)
      change /= 8;
    else if (p < 0.1)
      change /= 2;
    if (p >= 0.1 && change > 0.02) change = 0.02;
    p += change;
    if (delay_s == 0 && old_s == 0) p *= 0.98;
    p = std::clamp(p, 0.0, 1.0);
    old_s = delay_s;
    pie.update(delay_s);
    ASSERT_DOUBLE_EQ(pie.probability(), p) << k;
  }
}

TEST(Pie, LetsABurstThrough) {
  Pie pie;
  for (int k = 0; k < 9; ++k) pie.update(0.5);  // 135 ms of a high delay
  EXPECT_FALSE(pie.drop_early(0.5, 100'000, 0));
  for (int k = 0; k < 200; ++k) pie.update(0.5);
  EXPECT_GT(pie.probability(), 0.5);
  bool dropped = false;
  for (int k = 0; k < 10; ++k) dropped = pie.drop_early(0.5, 100'000, 0) || dropped;
  EXPECT_TRUE(dropped);
  EXPECT_FALSE(pie.drop_early(0.5, 3000, 0));  // two packets are never dropped
}

/// Floyd and Jacobson, section 5: with p = most x (average - min) / (max - min), gaps between drops are
/// uniform from 1 to 1 / p, so their mean is about 1 / (2 p).
TEST(Red, SpacesItsDropsEvenly) {
  Red red;
  Rng rng(5);
  for (int k = 0; k < 20'000; ++k) static_cast<void>(red.drop_early(10, 0, rng.uniform()));
  ASSERT_NEAR(red.average(), 10, 0.01);
  int drops = 0, gap = 0, longest = 0;
  constexpr int kPackets = 200'000;
  for (int k = 0; k < kPackets; ++k) {
    ++gap;
    if (!red.drop_early(10, 0, rng.uniform())) continue;
    ++drops;
    longest = std::max(longest, gap);
    gap = 0;
  }
  const double p = 0.05;
  EXPECT_LE(longest, static_cast<int>(1 / p) + 1);
  EXPECT_NEAR(static_cast<double>(kPackets) / drops, (1 + 1 / p) / 2, 0.6);
}

TEST(Red, ForgetsWhileNothingWaits) {
  Red red;
  for (int k = 0; k < 5000; ++k) static_cast<void>(red.drop_early(100, 0, 1));
  const double before = red.average();
  static_cast<void>(red.drop_early(0, 1000, 1));
  EXPECT_NEAR(red.average(), before * std::pow(0.998, 1000), 1e-9);
}

/// RFC 9332, appendix A.1: p_C = p'^2, p_CL = 2 p'; recur() meets a likelihood exactly on average.
TEST(DualPi2, CouplesTheTwoQueues) {
  DualPi2 law;
  for (int k = 0; k < 40; ++k) law.update(0.025);
  const double base = law.base();
  ASSERT_NEAR(base, 40 * 0.16 * 0.01 + 3.2 * 0.025, 1e-12);
  int classic = 0, low = 0;
  constexpr int kPackets = 10'000;
  for (int k = 0; k < kPackets; ++k) {
    classic += law.classic();
    low += law.low_latency(0);
  }
  EXPECT_NEAR(classic, kPackets * base * base, 1);
  EXPECT_NEAR(low, kPackets * 2 * base, 1);
}

TEST(DualPi2, MarksLowLatencyByItsOwnRamp) {
  DualPi2 law;
  int marks = 0;
  for (int k = 0; k < 1000; ++k) marks += law.low_latency(0.001);
  EXPECT_NEAR(marks, 500, 1);
  EXPECT_FALSE(law.low_latency(0.0005));
}

}  // namespace
}  // namespace park::net
