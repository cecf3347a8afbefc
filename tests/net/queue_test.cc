#include "park/net/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace park::net {
namespace {

const auto kIgnore = [](const Packet&) {};

TEST(Queue, DropsTheTailByPacketsAndBytes) {
  Queue q;
  QueueConfig c;
  c.limit_packets = 3;
  q.reset(c, Rng(1));
  for (std::uint64_t k = 0; k < 5; ++k) EXPECT_EQ(q.enqueue({.number = k}, 0, kIgnore), k < 3);
  EXPECT_EQ(q.counts().dropped, 2u);
  c.limit_packets = 1000;
  c.limit_bytes = 4000;
  q.reset(c, Rng(1));
  for (std::uint64_t k = 0; k < 5; ++k) EXPECT_EQ(q.enqueue({.number = k}, 0, kIgnore), k < 2);
  EXPECT_EQ(q.bytes(), 3000u);
}

TEST(Queue, CountsEveryPacketOnce) {
  for (const Discipline d :
       {Discipline::tail_drop, Discipline::red, Discipline::codel, Discipline::pie,
        Discipline::fq_codel, Discipline::dualpi2, Discipline::probability}) {
    Queue q;
    QueueConfig c;
    c.discipline = d;
    c.limit_packets = 100;
    c.ecn = true;
    q.reset(c, Rng(2));
    q.set_probability(0.1);
    Rng rng(9);
    std::uint64_t told = 0, taken = 0;
    const auto drop = [&](const Packet&) { ++told; };
    for (Nanos t = 0; t < 4 * kSecond; t += kMillisecond) {
      for (std::uint64_t n = rng.below(4); n > 0; --n) {
        const Ecn ecn = rng.below(2) == 0 ? Ecn::not_capable : Ecn::ect0;
        q.enqueue({.flow = static_cast<std::uint32_t>(rng.below(20)), .ecn = ecn}, t, drop);
      }
      Packet p;
      taken += q.dequeue(t, p, drop);
    }
    EXPECT_EQ(q.counts().dropped, told);
    EXPECT_EQ(q.counts().dequeued, taken);
    EXPECT_EQ(q.counts().offered, told + taken + q.packets()) << static_cast<int>(d);
    if (d != Discipline::tail_drop) {
      EXPECT_GT(q.counts().marked, 0u) << static_cast<int>(d);
    }
  }
}

TEST(Queue, MarksOnlyWhatIsCapable) {
  Queue q;
  QueueConfig c;
  c.discipline = Discipline::probability;
  c.ecn = true;
  q.reset(c, Rng(1));
  q.set_probability(1);
  EXPECT_FALSE(q.enqueue({}, 0, kIgnore));
  EXPECT_TRUE(q.enqueue({.ecn = Ecn::ect0}, 0, kIgnore));
  Packet p;
  ASSERT_TRUE(q.dequeue(0, p, kIgnore));
  EXPECT_EQ(p.ecn, Ecn::ce);
}

/// RFC 8290, section 1: a flow that sends little goes past one that fills the queue.
TEST(FqCodel, ServesFlowsInTurn) {
  Queue q;
  QueueConfig c;
  c.discipline = Discipline::fq_codel;
  q.reset(c, Rng(1));
  for (std::uint64_t k = 0; k < 50; ++k) q.enqueue({.number = k, .flow = 1}, 0, kIgnore);
  q.enqueue({.number = 100, .flow = 2}, 0, kIgnore);
  std::vector<std::uint32_t> order;
  Packet p;
  for (int k = 0; k < 4; ++k) {
    ASSERT_TRUE(q.dequeue(kMicrosecond, p, kIgnore));
    order.push_back(p.flow);
  }
  EXPECT_EQ(std::count(order.begin(), order.end(), 2u), 1);
  EXPECT_NE(order.back(), 2u);
}

TEST(FqCodel, SharesEquallyBetweenBacklogs) {
  Queue q;
  QueueConfig c;
  c.discipline = Discipline::fq_codel;
  c.codel.target = kSecond;
  q.reset(c, Rng(1));
  std::vector<int> taken(3, 0);
  Packet p;
  for (Nanos t = 0; t < 600 * kMillisecond; t += kMillisecond) {
    q.enqueue({.flow = 0}, t, kIgnore);
    q.enqueue({.flow = 1}, t, kIgnore);
    q.enqueue({.flow = 1}, t, kIgnore);
    q.enqueue({.flow = 2}, t, kIgnore);
    if (q.dequeue(t, p, kIgnore)) ++taken[p.flow];
  }
  for (const int n : taken) EXPECT_NEAR(n, 200, 3);
}

/// RFC 8290, section 4.1.
TEST(FqCodel, ShortensTheLongestQueue) {
  Queue q;
  QueueConfig c;
  c.discipline = Discipline::fq_codel;
  c.limit_packets = 100;
  q.reset(c, Rng(1));
  std::vector<std::uint32_t> lost;
  const auto drop = [&](const Packet& p) { lost.push_back(p.flow); };
  for (int k = 0; k < 90; ++k) q.enqueue({.flow = 1}, 0, drop);
  for (int k = 0; k < 11; ++k) q.enqueue({.flow = 2}, 0, drop);
  EXPECT_EQ(lost.size(), 45u);
  EXPECT_EQ(std::count(lost.begin(), lost.end(), 1u), 45);
}

TEST(DualPi2, GivesLowLatencyFirst) {
  Queue q;
  QueueConfig c;
  c.discipline = Discipline::dualpi2;
  q.reset(c, Rng(1));
  q.enqueue({.number = 1, .ecn = Ecn::ect0}, 0, kIgnore);
  q.enqueue({.number = 2, .ecn = Ecn::ect1}, kMillisecond, kIgnore);
  Packet p;
  ASSERT_TRUE(q.dequeue(2 * kMillisecond, p, kIgnore));
  EXPECT_EQ(p.number, 2u);
  q.enqueue({.number = 3, .ecn = Ecn::ect1}, 50 * kMillisecond, kIgnore);
  ASSERT_TRUE(q.dequeue(51 * kMillisecond, p, kIgnore));
  EXPECT_EQ(p.number, 1u);  // it has waited longer by more than two targets
}

}  // namespace
}  // namespace park::net
