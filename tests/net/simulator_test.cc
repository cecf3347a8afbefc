// What must hold whatever the senders do: packets are conserved, Little's law, order, memory.
#include "park/net/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/net/scene.h"

namespace park::net {
namespace {

constexpr SenderKind kAll[] = {SenderKind::fixed, SenderKind::reno, SenderKind::cubic,
                               SenderKind::vegas, SenderKind::copa, SenderKind::bbr,
                               SenderKind::dctcp};

TEST(Simulator, ConservesPackets) {
  for (const SenderKind sender : kAll)
    for (const Discipline d : {Discipline::tail_drop, Discipline::codel, Discipline::fq_codel}) {
      Scene scene{.flows = 3, .sender = sender};
      scene.queue.discipline = d;
      scene.queue.limit_packets = 40;
      scene.path.loss = 0.01;
      scene.path.ack_loss = 0.05;
      scene.path.reorder_share = 0.01;
      scene.path.reorder_s = 0.005;
      Simulator sim;
      scene.start(sim);
      for (Nanos t = kSecond; t <= 10 * kSecond; t += kSecond) {
        sim.run(t);
        double sent = 0;
        for (std::uint32_t i = 0; i < sim.flows(); ++i) {
          const FlowCounts& c = sim.flow(i).counts();
          sent += c.sent;
          ASSERT_EQ(c.sent, c.acked + c.lost + sim.flow(i).inflight());
        }
        const QueueCounts& q = sim.queue().counts();
        ASSERT_EQ(static_cast<double>(q.offered), sent);
        ASSERT_EQ(q.offered, q.dropped + q.dequeued + sim.queue().packets());
        ASSERT_EQ(q.dequeued, sim.counts().path_lost + sim.counts().received + sim.in_service());
      }
    }
}

/// The time average of the packets that wait is their rate times their mean wait.
TEST(Simulator, ObeysLittlesLaw) {
  Scene scene{.flows = 2, .sender = SenderKind::reno};
  scene.queue.limit_packets = 60;
  Simulator sim;
  scene.start(sim);
  double packet_seconds = 0;
  constexpr Nanos kStep = 100 * kMicrosecond;
  for (Nanos t = kStep; t <= 30 * kSecond; t += kStep) {
    sim.run(t);
    packet_seconds += static_cast<double>(sim.queue().packets()) * to_seconds(kStep);
  }
  EXPECT_NEAR(packet_seconds / sim.delays().sum_s(), 1, 0.01);
}

TEST(Simulator, RunsInAnySteps) {
  Scene scene{.flows = 3, .sender = SenderKind::bbr};
  Simulator whole, parts;
  scene.start(whole);
  scene.start(parts);
  whole.run(5 * kSecond);
  for (Nanos t = 0; t <= 5 * kSecond; t += 7 * kMillisecond) parts.run(t);
  parts.run(5 * kSecond);
  EXPECT_EQ(whole.events(), parts.events());
  EXPECT_EQ(whole.delays().sum_s(), parts.delays().sum_s());
}

TEST(Simulator, CarriesARateWithoutAQueue) {
  Scene scene{.sender = SenderKind::fixed};
  Simulator sim;
  scene.start(sim);
  sim.run(10 * kSecond);
  EXPECT_NEAR(utilisation(sim), 1, 0.01);
  EXPECT_LT(sim.delays().quantile_s(1), 1e-6);
  EXPECT_NEAR(sim.flow(0).least_rtt_s(), 0.061, 1e-9);
}

TEST(Simulator, TimesOutWhenAllIsLost) {
  Scene scene;
  scene.path.loss = 1;
  Simulator sim;
  scene.start(sim);
  sim.run(10 * kSecond);  // 1, 2, 4 s
  EXPECT_EQ(sim.flow(0).counts().timeouts, 3);
  EXPECT_EQ(sim.flow(0).counts().acked, 0);
}

TEST(Simulator, FinishesFlowsAndBeginsThemAgain) {
  std::vector<FlowConfig> flows(2);
  flows[0].traffic = Traffic::finite;
  flows[0].size_packets = 200;
  flows[1].traffic = Traffic::on_off;
  flows[1].size_packets = 20;
  flows[1].pause_s = 0.2;
  Simulator sim;
  sim.reset({}, {}, {.loss = 0.02}, flows, Rng(1), Rng(2));
  sim.run(20 * kSecond);
  EXPECT_EQ(sim.flow(0).counts().acked, 200);
  EXPECT_FALSE(sim.active(0));
  EXPECT_GT(sim.counts().flows_finished, 20u);
}

/// RFC 1122, section 4.2.3.2: an ack for every second packet, and not later than the timer.
TEST(Simulator, DelaysAcks) {
  std::vector<FlowConfig> flows(1);
  flows[0].traffic = Traffic::finite;
  flows[0].size_packets = 1;
  Simulator sim;
  sim.reset({.bytes_per_s = 1.5e6}, {}, {.ack_every = 2, .delayed_ack_s = 0.03}, flows, Rng(1),
            Rng(2));
  sim.run(kSecond);
  // The first packet of a connection is acknowledged at once or by the timer.
  EXPECT_LE(sim.flow(0).last_rtt_s(), 0.04 + 0.001 + 0.03 + 1e-9);
  EXPECT_EQ(sim.flow(0).counts().acked, 1);
}

TEST(Simulator, TellsLateFromLost) {
  Scene scene{.sender = SenderKind::fixed};
  scene.path.reorder_share = 0.05;
  scene.path.reorder_s = 0.0015;  // overtaken by one packet, or two
  Simulator sim;
  scene.start(sim);
  sim.run(5 * kSecond);
  EXPECT_EQ(sim.flow(0).counts().lost, 0);
  scene.path.reorder_s = 0.01;
  scene.start(sim);
  sim.run(5 * kSecond);
  EXPECT_GT(sim.flow(0).counts().lost, 50);
  EXPECT_NEAR(sim.flow(0).counts().spurious, sim.flow(0).counts().lost, 3);
}

/// A new rate counts from the last packet on: decisions alone send nothing.
TEST(Simulator, KeepsARateHoweverOftenItIsSet) {
  std::vector<FlowConfig> flows(1);
  flows[0].sender = SenderKind::fixed;
  flows[0].outside = true;
  Simulator sim;
  sim.reset({.bytes_per_s = 1.5e6}, {}, {}, flows, Rng(1), Rng(2));
  const auto play = [&](double rate, Nanos until) {
    const double before = sim.flow(0).counts().sent;
    while (sim.now() < until) {
      sim.set_control(0, {.window = kUnpaced, .pacing = rate, .quantum = 1});
      sim.run(sim.now() + kMillisecond);
    }
    return sim.flow(0).counts().sent - before;
  };
  sim.run(0);
  EXPECT_NEAR(play(20, kSecond), 20, 1);
  EXPECT_NEAR(play(400, 2 * kSecond), 400, 1);
  EXPECT_NEAR(play(0.1, 3 * kSecond), 0, 1);
  EXPECT_NEAR(play(50, 4 * kSecond), 50, 1);
}

/// One flow that fills a link.
void begin_filler(Simulator& sim, const LinkConfig& link, const QueueConfig& queue,
                  const PathConfig& path, double round_trip_s = FlowConfig().round_trip_s) {
  std::vector<FlowConfig> flows(1);
  flows[0].sender = SenderKind::fixed;
  flows[0].outside = true;
  flows[0].round_trip_s = round_trip_s;
  sim.reset(link, queue, path, flows, Rng(1), Rng(2));
  sim.run(0);
  sim.set_control(0, {.window = 0});
  sim.set_filler(0);
}

TEST(Simulator, KeepsTheLinkBusyWithAFiller) {
  Simulator sim;
  begin_filler(sim, {.bytes_per_s = 1.5e6}, {}, {});
  sim.run(kSecond);
  sim.restart_delays();
  sim.run(10 * kSecond);
  EXPECT_GT(utilisation(sim), 0.99);
  EXPECT_LT(sim.delays().mean_s(), 1e-6);
}

TEST(Simulator, FillsWhatAPolicerLeavesWithoutALoss) {
  Simulator sim;
  begin_filler(sim, {.bytes_per_s = 1.5e7},
               {.policer = {.bytes_per_s = 1.5e6, .burst_bytes = 15e3}}, {});
  sim.run(10 * kSecond);
  EXPECT_NEAR(sim.capacity(), 15e3 + 15e6, 1);
  EXPECT_GT(utilisation(sim), 0.99);
  EXPECT_EQ(sim.queue().counts().dropped, 0);
}

/// Links of acks that let half of the packets through at most: the filler uses that half, and its acks
/// do not wait.
TEST(Simulator, TheFillerDoesNotFillTheLinkOfTheAcks) {
  const PathConfig link{.ack_link_bytes_per_s = 40 * 250},  // 500 packets/s, the link has 1000
      link_and_losses{.loss = 0.01, .ack_link_bytes_per_s = 40 * 250},
      bursts{.ack_period_s = 0.04, .ack_burst = 10};
  for (const PathConfig& path : {link, link_and_losses, bursts}) {
    Simulator sim;
    begin_filler(sim, {.bytes_per_s = 1.5e6}, {}, path, 0.05);
    sim.run(kSecond);
    sim.restart_delays();
    sim.run(20 * kSecond);
    EXPECT_NEAR(utilisation(sim), 0.5, 0.02);
    EXPECT_LT(sim.delays().mean_s(), 1e-6);
    EXPECT_LT(sim.flow(0).smooth_rtt_s(), 0.05 + (path.ack_period_s > 0 ? 0.04 : 0.01));
  }
}

/// The queue stays empty, so senders learn of a policer by losses alone.
TEST(Simulator, APolicerDropsWhatALinkWouldCarry) {
  for (const SenderKind sender : {SenderKind::reno, SenderKind::cubic, SenderKind::bbr}) {
    Scene scene{.mbps = 120, .sender = sender};
    scene.queue.policer = {.bytes_per_s = 1.5e6, .burst_bytes = 1.5e5};
    Simulator sim;
    scene.start(sim);
    sim.run(60 * kSecond);
    EXPECT_GT(sim.dropped_of(0), 10);
    EXPECT_GT(utilisation(sim), 0.5);
    EXPECT_LE(utilisation(sim), 1);
    EXPECT_LT(sim.delays().mean_s(), 0.01);
  }
}

}  // namespace
}  // namespace park::net
