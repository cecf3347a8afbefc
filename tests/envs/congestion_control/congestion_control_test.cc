// The environment against what its page says: who asks when, what an answer sets, what built-in senders
// reach, bounds.
#include "park/envs/congestion_control/congestion_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/congestion_control/objective.h"

namespace park::congestion_control {

void register_env(Registry&);

namespace {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_env(r);
    return r;
  }();
  return all;
}

/// Plays episodes and returns the mean of a metric.
double mean_of(const std::string& env, const std::string& policy, const std::string& metric,
               std::uint64_t episodes = 1) {
  const Spec spec = registry().spec(env);
  const auto player = registry().policy(policy, spec);
  std::vector<Episode> list(episodes);
  for (std::uint64_t k = 0; k < episodes; ++k)
    list[k] = {.id = k, .inputs = Rng(1).split(k).bits(), .dynamics = Rng(2).split(k).bits()};
  const FixedEpisodes source(list);
  const auto stream = registry().stream(env, source);
  double sum = 0;
  play(*stream, *player, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      sum += d.metrics[i * spec.metrics.size() + spec.metric(metric)];
  });
  return sum / static_cast<double>(episodes);
}

/// One environment with its rows.
class Driver {
 public:
  explicit Driver(const std::string& text)
      : spec_(registry().spec(text)),
        layout_(bind_layout<FlowLayout>(spec_)),
        env_(registry().env_factory(text)()),
        row_(spec_.observation),
        action_(spec_.action) {
    action_.resize(1);
    env_->reset({.inputs = 5, .dynamics = 6}, next());
  }
  Outcome step(float rate, float cap) {
    action_.row(0).scalar(layout_.rate) = rate;
    action_.row(0).scalar(layout_.cap) = cap;
    return env_->step(std::as_const(action_).row(0), next());
  }
  template <class F>
  [[nodiscard]] double value(F FlowLayout::*leaf) const {
    return static_cast<double>(std::as_const(row_).row(0).scalar(layout_.*leaf));
  }

 private:
  Row next() {
    row_.clear();
    return row_.append();
  }
  Spec spec_;
  FlowLayout layout_;
  std::unique_ptr<Env> env_;
  Batch row_, action_;
};

TEST(CongestionControl, AsksEveryHalfRoundTrip) {
  Driver d("congestion_control(preset=pantheon-18,duration_s=5)");
  for (int k = 0; k < 40; ++k) static_cast<void>(d.step(0, 0.4F));
  for (int k = 0; k < 20; ++k) {
    const double smooth_s = d.value(&FlowLayout::smooth_rtt_s);
    const Outcome o = d.step(0, 0.4F);
    EXPECT_NEAR(o.elapsed_s, 0.5 * smooth_s, 1e-6);
  }
}

TEST(CongestionControl, SetsRateAndWindow) {
  Driver d("congestion_control(preset=pantheon-18,duration_s=5)");
  for (int k = 0; k < 40; ++k) static_cast<void>(d.step(0, 0.4F));
  const double delivery = d.value(&FlowLayout::delivery_mbps);
  const double pacing = d.value(&FlowLayout::pacing_mbps);
  const double bdp = delivery * 1e6 / 12e3 * d.value(&FlowLayout::least_rtt_s);
  static_cast<void>(d.step(0.5F, 0.5F));
  EXPECT_NEAR(d.value(&FlowLayout::pacing_mbps), (delivery + pacing) / 2 * 2, 1e-3);
  EXPECT_NEAR(d.value(&FlowLayout::window), bdp * 4, 1e-2);
  EXPECT_LE(d.value(&FlowLayout::inflight), d.value(&FlowLayout::window));
}

TEST(CongestionControl, SetsAWindowInPackets) {
  Driver d("congestion_control(preset=pantheon-18,action=cwnd,duration_s=5)");
  static_cast<void>(d.step(0, 0.2F));
  EXPECT_NEAR(d.value(&FlowLayout::window), 10, 1e-4);
  EXPECT_LE(d.value(&FlowLayout::inflight), 10);
}

/// Nothing overtakes a lost packet in a window of one, and 4.77 % of them are lost.
TEST(CongestionControl, AsksAtTimeouts) {
  Driver d("congestion_control(preset=pantheon-1,action=cwnd,duration_s=20)");
  bool asked = false;
  for (Outcome o; o.end == End::none && !asked;) {
    o = d.step(0, 0);
    asked = d.value(&FlowLayout::asked_by_timeout) == 1;
  }
  EXPECT_TRUE(asked);
}

/// Section 4 of the study: on wan links delay-based senders lead, cubic and reno trail.
TEST(CongestionControl, RanksTheClassicSenders) {
  const std::string env = "congestion_control(duration_s=15)";
  const auto score = [&](const std::string& policy) { return mean_of(env, policy, "score", 12); };
  const double copa = score("copa(delta=0.25)"), bbr = score("bbr"), cubic = score("cubic");
  EXPECT_GT(copa, bbr);
  EXPECT_GT(bbr, cubic);
  EXPECT_GT(score("clairvoyant"), copa);
}

TEST(CongestionControl, HasABoundNearZero) {
  EXPECT_GT(mean_of("congestion_control(preset=pantheon-18)", "clairvoyant", "score"), -0.02);
  EXPECT_LT(mean_of("congestion_control(preset=pantheon-18)", "clairvoyant", "queue_ms"), 0.1);
}

/// Where the way back of the acks limits a sender, the bound is still one.
TEST(CongestionControl, HasABoundWhereAcksAreSlow) {
  for (const std::string env : {"congestion_control(preset=pantheon-13,duration_s=20)",
                                "congestion_control(preset=pantheon-14,duration_s=20)"}) {
    const double bound = mean_of(env, "clairvoyant", "score", 2);
    for (const char* sender : {"vegas", "copa", "copa(delta=0.2)", "bbr"})
      EXPECT_GT(bound, mean_of(env, sender, "score", 2)) << env << " " << sender;
  }
}

TEST(CongestionControl, SharesFairlyBetweenEquals) {
  const std::string env = "congestion_control(preset=pantheon-18,own=4,duration_s=60)";
  EXPECT_GT(mean_of(env, "reno", "jain"), 0.7);
  EXPECT_GT(mean_of(env, "copa", "jain"), 0.8);
  EXPECT_EQ(mean_of(env, "reno", "share"), 1);
}

TEST(CongestionControl, StarvesVegasBesideCubic) {
  const std::string env =
      "congestion_control(preset=park,beside=[cubic],queue_packets=400,duration_s=60)";
  EXPECT_LT(mean_of(env, "vegas", "share"), 0.3);
  EXPECT_GT(mean_of(env, "cubic", "share"), 0.35);
}

TEST(Objective, IsAsPublished) {
  const Interval i{.length_s = 0.1,
                   .sent = 110,
                   .acked = 90,
                   .lost = 10,
                   .rtt_s = 0.08,
                   .samples = 90,
                   .least_rtt_s = 0.04,
                   .packet_bytes = 1500,
                   .capacity = 100,
                   .fair_share = 1,
                   .base_rtt_s = 0.04,
                   .path_loss = 0.02,
                   .mean_capacity = 1000,
                   .most_throughput = 1000};
  EXPECT_DOUBLE_EQ(reward_of(Objective::score, i),
                   0.1 * (std::log(0.9) - 0.5 * std::log(2.0) - 2 * 0.08));
  EXPECT_DOUBLE_EQ(reward_of(Objective::park, i), std::log2(900 * 1500.0) - 0.5 * std::log2(40e3));
  EXPECT_DOUBLE_EQ(reward_of(Objective::aurora, i), 0.001 * (9000 - 80 - 200));
  EXPECT_DOUBLE_EQ(reward_of(Objective::aurora_compat, i), 0.001 * (8900 - 80 - 200));
  Interval silent = i;
  silent.acked = silent.lost = silent.samples = 0;
  EXPECT_DOUBLE_EQ(reward_of(Objective::aurora, silent), 0.001 * -80);
  EXPECT_DOUBLE_EQ(reward_of(Objective::aurora_compat, silent), 0.001 * -100);
  EXPECT_DOUBLE_EQ(reward_of(Objective::genet, i), 450 - 80 - 200);
  EXPECT_DOUBLE_EQ(reward_of(Objective::orca, i), (900 - 500) / 1000.0 * 0.625);
  EXPECT_DOUBLE_EQ(reward_of(Objective::sage, i), 25 * 0.7 * 0.7 * 0.5);
}

TEST(CongestionControl, CapacityBeforeAFlowBeginsIsNotItsShare) {
  // Four flows that begin within 4 s and fill a link of 48 Mbit/s, with 50.25 ms of base round trip.
  const std::string env = "congestion_control(preset=park,own=4,duration_s=20,queue_packets=400)";
  const auto metric = [&](const std::string& name) {
    return mean_of(env, "copa(delta=0.5)", name, 3);
  };
  const double used =
      metric("score") + 0.5 * std::log(metric("rtt_ms") / 50.25) + 2 * metric("own_loss");
  EXPECT_GT(metric("jain"), 0.98);
  EXPECT_GT(used, -0.07);
}

TEST(CongestionControl, StartUpAndSteadyStateAreScoredApart) {
  // BBR fills the pipe and drains its queue within the first tenth; Cubic's queue grows after it.
  const std::string env = "congestion_control(preset=park,duration_s=60)";
  const auto apart = [&](const std::string& policy) {
    return std::pair(mean_of(env, policy, "startup_score"), mean_of(env, policy, "steady_score"));
  };
  const auto [bbr_startup, bbr_steady] = apart("bbr");
  EXPECT_LT(bbr_startup, bbr_steady);
  const auto [cubic_startup, cubic_steady] = apart("cubic");
  EXPECT_LT(cubic_steady, bbr_steady);
  const double whole = mean_of(env, "bbr", "score");
  EXPECT_GT(whole, bbr_startup);
  EXPECT_LT(whole, bbr_steady);
  EXPECT_NE(cubic_startup, cubic_steady);
}

TEST(CongestionControl, FairCountsWhatOthersLack) {
  Interval i{.length_s = 2,
             .acked = 80,
             .rtt_s = 0.1,
             .capacity = 100,
             .fair_share = 0.5,
             .base_rtt_s = 0.1,
             .flows = 2,
             .beside = 1,
             .beside_acked = 20};
  EXPECT_DOUBLE_EQ(reward_of(Objective::score, i), 0);
  EXPECT_DOUBLE_EQ(reward_of(Objective::fair, i), 2 * std::log(20.0 / 50));
  i.acked = 40,
  i.beside_acked = 60;  // it has its share: what is left of it is the own flow's fault
  EXPECT_DOUBLE_EQ(reward_of(Objective::fair, i), 2 * std::log(40.0 / 50));
  i.beside = 0, i.flows = 1, i.fair_share = 1;
  EXPECT_DOUBLE_EQ(reward_of(Objective::fair, i), reward_of(Objective::score, i));
}

}  // namespace
}  // namespace park::congestion_control
