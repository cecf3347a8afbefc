// preset=aurora beside the simulator of the Aurora paper, PCC-RL's network_sim.py. Its rows are numbers that
// experiments/congestion_control/record_pcc_rl.py recorded. Both play the same actions on the same
// links. A packet's latency there leaves out its own transmission, which is added here. There a loss is known
// when the ack would have come; here, once later packets are acknowledged.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/congestion_control/layout.h"
#include "park/envs/congestion_control/scenario.h"

namespace park::congestion_control {

void register_env(Registry&);

namespace {

constexpr const char* kEnv =
    "congestion_control(preset=aurora,action=aurora,objective=aurora_compat,duration_s=10000)";
constexpr double kFirstRate = 100, kPacketBytes = 1500;
constexpr int kRising = 40, kSteadyFrom = 80, kSteps = 200;

/// What a row tells of a link, of the rate that is sent there, and of the means over the steady steps.
struct PccRow {
  std::uint64_t inputs = 0;
  double rate = 0, one_way_s = 0, queue = 0, loss = 0;  // packets per second, packets
  double share = 0;
  double throughput = 0, latency_s = 0, lost = 0, reward = 0;
};

std::vector<PccRow> recorded() {
  std::ifstream file(PARK_SOURCE_DIR "/tests/envs/congestion_control/pcc_rl_rows.txt");
  std::vector<PccRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    PccRow& r = rows.emplace_back();
    words >> r.inputs >> r.rate >> r.one_way_s >> r.queue >> r.loss >> r.share >> r.throughput >>
        r.latency_s >> r.lost >> r.reward;
    EXPECT_TRUE(words) << line;
  }
  return rows;
}

/// What a row would be with the environment's link. It counts a packet's own transmission as delay, and its
/// queue leaves out the packet in transmission. Random losses are behind the link, so they free no
/// place for others; in PCC-RL they are in front of it.
PccRow with_our_link(PccRow r) {
  const bool full = r.share > 1;
  const double transmission_s = 1 / r.rate;
  const double latency_s = r.latency_s + (full ? 2 : 1) * transmission_s;
  const double arrives = full ? 1 - r.loss : 1;
  const double throughput = r.throughput * arrives, lost = 1 - (1 - r.lost) * arrives;
  r.reward += 0.001 * (10 * (throughput - r.throughput) - 1000 * (latency_s - r.latency_s) -
                       2000 * (lost - r.lost));
  r.throughput = throughput;
  r.latency_s = latency_s;
  r.lost = lost;
  return r;
}

/// One environment that repeats the actions of a row.
class Player {
 public:
  Player()
      : spec_(registry().spec(kEnv)),
        layout_(bind_layout<FlowLayout>(spec_)),
        env_(registry().env_factory(kEnv)()),
        row_(spec_.observation),
        action_(spec_.action) {
    action_.resize(1);
  }

  /// The means over the steady steps of some episodes on the link of a row.
  PccRow means(const PccRow& of, std::uint64_t episodes) {
    PccRow sums;
    for (std::uint64_t k = 0; k < episodes; ++k) play(of, k, sums);
    const double steady = static_cast<double>(episodes) * (kSteps - kSteadyFrom);
    return {.throughput = sums.throughput / steady,
            .latency_s = sums.latency_s / steady,
            .lost = sums.lost / steady,
            .reward = sums.reward / steady};
  }

 private:
  static const Registry& registry() {
    static const Registry all = [] {
      Registry r;
      register_env(r);
      return r;
    }();
    return all;
  }
  Row next() {
    row_.clear();
    return row_.append();
  }
  [[nodiscard]] double value(Field<float> leaf) const {
    return static_cast<double>(std::as_const(row_).row(0)[leaf][0]);
  }
  void play(const PccRow& of, std::uint64_t episode, PccRow& sums) {
    const double factor = std::pow(of.share * of.rate / kFirstRate, 1.0 / kRising);
    const double change = factor >= 1 ? factor - 1 : 1 - 1 / factor;
    env_->reset({.inputs = of.inputs, .dynamics = episode}, next());
    for (int k = 0; k < kSteps; ++k) {
      action_.row(0).scalar(layout_.rate) = k < kRising ? static_cast<float>(change) : 0.0F;
      const Outcome o = env_->step(std::as_const(action_).row(0), next());
      ASSERT_EQ(o.end, End::none);
      if (k < kSteadyFrom) continue;
      sums.throughput += (value(layout_.acked) - 1) / value(layout_.interval_s);
      sums.latency_s += value(layout_.past_rtt_s);
      sums.lost += value(layout_.past_lost_share);
      sums.reward += o.reward;
    }
  }

  Spec spec_;
  FlowLayout layout_;
  std::unique_ptr<Env> env_;
  Batch row_, action_;
};

TEST(Aurora, DrawsTheLinksOfTheRows) {
  const std::vector<PccRow> rows = recorded();
  EXPECT_GE(rows.size(), 18U);
  const CongestionControlConfig config{.preset = "aurora"};
  for (const PccRow& r : rows) {
    const Scenario s =
        draw_scenario(config, family_of("aurora"), nullptr, Rng(r.inputs).split("scenario"));
    SCOPED_TRACE(std::to_string(r.inputs) + ": " +
                 std::to_string(s.mean_bytes_per_s / kPacketBytes) + " " +
                 std::to_string(s.round_trip_s / 2) + " " + std::to_string(s.queue.limit_packets) +
                 " " + std::to_string(s.path.loss));
    EXPECT_NEAR(r.rate, s.mean_bytes_per_s / kPacketBytes, 1e-5);
    EXPECT_NEAR(r.one_way_s, s.round_trip_s / 2, 1e-6);
    EXPECT_EQ(r.queue, static_cast<double>(s.queue.limit_packets));
    EXPECT_NEAR(r.loss, s.path.loss, 1e-6);
  }
}

TEST(Aurora, GivesTheRowsOfPccRl) {
  Player player;
  for (const PccRow& r : recorded()) {
    SCOPED_TRACE(std::to_string(r.inputs) + " at " + std::to_string(r.share));
    const PccRow wanted = with_our_link(r), p = player.means(r, 5);
    EXPECT_NEAR(p.throughput, wanted.throughput, 0.015 * wanted.throughput);
    EXPECT_NEAR(p.latency_s, wanted.latency_s, 0.002 * wanted.latency_s + 0.25 / r.rate);
    EXPECT_NEAR(p.lost, wanted.lost, 0.01);
    EXPECT_NEAR(p.reward, wanted.reward, 0.02 + 0.01 * std::abs(wanted.reward));
  }
}

}  // namespace
}  // namespace park::congestion_control
