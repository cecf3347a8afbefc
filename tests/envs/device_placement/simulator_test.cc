// Steps that are worked out by hand, and rules on graphs where the right placement is plain.
#include "park/envs/device_placement/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/device_placement/generator.h"
#include "park/envs/device_placement/plans.h"

namespace park::test {
namespace placement_simulator_test {

using namespace device_placement;

/// Links of 10 bytes per second with a latency of 0.5 s.
Cluster two_devices() {
  Cluster c;
  c.resize(2);
  c.bytes_per_s.assign(4, 10);
  c.latency_s.assign(4, 0.5);
  return c;
}

/// One source of 1 s and three users of 2 s each; its tensor has 20 bytes.
Graph fan() {
  Graph g;
  g.add(1, 20);
  for (int i = 0; i < 3; ++i) {
    g.add(2, 5);
    g.connect(0, i + 1, 20);
  }
  return g;
}

double step_of(const Graph& g, const Cluster& c, const Placement& p, Order order = Order::rank) {
  Simulator s;
  s.load(g, c, order);
  return s.step_s(p);
}

TEST(Simulator, ADeviceRunsOneOperationAtATime) {
  EXPECT_DOUBLE_EQ(step_of(fan(), two_devices(), {0, 0, 0, 0}), 7);
}

TEST(Simulator, ATensorIsSentOnceToADevice) {
  // Sent from 1 to 3, there at 3.5; then two operations of 2 s.
  Simulator s;
  const Graph g = fan();
  const Cluster c = two_devices();
  s.load(g, c, Order::rank);
  EXPECT_DOUBLE_EQ(s.step_s(Placement{0, 0, 1, 1}), 7.5);
  EXPECT_EQ(s.sent_bytes(), 20);
  EXPECT_DOUBLE_EQ(s.begin_s()[3], 5.5);
}

TEST(Simulator, TensorsOfTheirOwnWaitForTheLink) {
  Graph g = fan();
  for (std::size_t e = 0; e < 3; ++e) g.edges[e].tensor = static_cast<std::int32_t>(e);
  // The second tensor leaves at 3 and is there at 5.5, as the first operation ends.
  EXPECT_DOUBLE_EQ(step_of(g, two_devices(), {0, 0, 1, 1}), 7.5);
  Cluster slow = two_devices();
  slow.bytes_per_s.assign(4, 5);  // there at 5.5 and at 9.5
  EXPECT_DOUBLE_EQ(step_of(g, slow, {0, 0, 1, 1}), 11.5);
}

TEST(Simulator, SpeedsDivideWork) {
  Cluster c = two_devices();
  c.speed = {1, 4};
  EXPECT_DOUBLE_EQ(step_of(fan(), c, {1, 1, 1, 1}), 7.0 / 4);
}

TEST(Simulator, RankGoesBeforeOrder) {
  // Operation 2 has a long successor: by rank it goes first.
  Graph g;
  g.add(1, 0), g.add(1, 0), g.add(5, 0);
  g.connect(1, 2, 0);
  Cluster c = two_devices();
  c.latency_s.assign(4, 0);
  EXPECT_DOUBLE_EQ(step_of(g, c, {0, 0, 1}), 6);
  EXPECT_DOUBLE_EQ(step_of(g, c, {0, 0, 1}, Order::fifo), 7);
}

TEST(Simulator, StaysWithinItsBounds) {
  Graph g;
  for (std::uint64_t k = 0; k < 30; ++k) {
    generate(static_cast<Family>(k % 3), 40, Rng(k), g);
    if (k % 2 == 1) add_training(g);
    Cluster c;
    c.resize(1 + k % 4);
    c.bytes_per_s.assign(c.size() * c.size(), 5e9);
    c.latency_s.assign(c.size() * c.size(), 1e-5);
    Simulator s;
    s.load(g, c, k % 5 == 0 ? Order::fifo : Order::rank);
    std::vector<double> scratch;
    const double bound_s =
        std::max(critical_path_s(g, scratch), total_s(g) / static_cast<double>(c.size()));
    Rng rng(k);
    Placement p(g.size());
    for (std::int32_t& d : p) d = static_cast<std::int32_t>(rng.below(c.size()));
    EXPECT_GE(s.step_s(p), bound_s * (1 - 1e-12));
    std::ranges::fill(p, 0);
    EXPECT_NEAR(s.step_s(p), total_s(g), 1e-9 * total_s(g));
    for (std::size_t i = 1; i < g.size(); ++i)
      EXPECT_GE(s.rank_s()[static_cast<std::size_t>(s.by_rank()[i - 1])],
                s.rank_s()[static_cast<std::size_t>(s.by_rank()[i])]);
  }
}

/// Two chains without anything between them.
Graph two_chains() {
  Graph g;
  for (int i = 0; i < 8; ++i) {
    g.add(1, 1000);
    if (i >= 2) g.connect(i - 2, i, 1000);
  }
  g.sort_edges();
  return g;
}

TEST(Rules, FindTwoChains) {
  const Graph g = two_chains();
  const Cluster c = two_devices();
  Simulator s;
  MemoryUse memory;
  s.load(g, c, Order::rank);
  Placement p;
  for (const auto rule : {&place_heft, &place_heft_contention, &place_etf}) {
    rule(s, p);
    EXPECT_DOUBLE_EQ(placed_s(s, memory, p), 4);
  }
  place_best(s, memory, p);
  EXPECT_DOUBLE_EQ(placed_s(s, memory, p), 4);
  place_single(s, p);
  EXPECT_DOUBLE_EQ(placed_s(s, memory, p), 8);
  ASSERT_TRUE(has_metis());
  place_metis(s, p);
  EXPECT_DOUBLE_EQ(placed_s(s, memory, p), 4);
}

TEST(Rules, KeepToMemory) {
  const Graph g = two_chains();
  Cluster c = two_devices();
  c.memory.assign(2, 4000);
  Simulator s;
  MemoryUse memory;
  s.load(g, c, Order::rank);
  Placement p;
  for (const auto rule : {&place_single, &place_by_work, &place_by_memory, &place_heft,
                          &place_heft_contention, &place_etf, &place_metis}) {
    rule(s, p);
    static_cast<void>(placed_s(s, memory, p));
    EXPECT_EQ(memory.overrun(), 0);
  }
}

TEST(Memory, SharedParametersCountOncePerDevice) {
  Graph g;
  g.add(1, 10, 100);
  g.add(1, 10, 100, 0);
  Cluster c = two_devices();
  c.memory.assign(2, 130);
  MemoryUse m;
  m.reset(g, c);
  m.put(0, 0);
  EXPECT_EQ(m.used(0), 110);
  EXPECT_EQ(m.need(1, 0), 10);
  EXPECT_EQ(m.need(1, 1), 110);
  m.put(1, 0);
  m.remove(0, 0);
  EXPECT_EQ(m.used(0), 110);
  EXPECT_EQ(m.overrun(), 0);
  EXPECT_EQ(step_penalty_s(c, 50), 2 * 50 / 10.0);
}

}  // namespace placement_simulator_test
}  // namespace park::test
