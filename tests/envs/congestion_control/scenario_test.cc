// What fields change of a preset's links, and what they leave as it is.
#include "park/envs/congestion_control/scenario.h"

#include <gtest/gtest.h>

#include "park/core/config.h"
#include "park/core/text.h"

namespace park::congestion_control {
namespace {

Scenario drawn(const CongestionControlConfig& config) {
  return draw_scenario(config, family_of(config.preset), nullptr, Rng(7));
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_config<CongestionControlConfig>(parse_text(text)));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Scenario, FieldsReplaceWhatThePresetDraws) {
  CongestionControlConfig config;
  const Scenario before = drawn(config);
  config.rate_mbps = 8;
  config.rtt_ms = 40;
  config.loss = 0.02;
  const Scenario after = drawn(config);
  EXPECT_DOUBLE_EQ(after.link.bytes_per_s, 1e6);
  EXPECT_DOUBLE_EQ(after.round_trip_s, 0.04);
  EXPECT_DOUBLE_EQ(after.path.loss, 0.02);
  EXPECT_DOUBLE_EQ(after.link.sigma, before.link.sigma);
  EXPECT_DOUBLE_EQ(after.link.start_share, before.link.start_share);
  // The queue is drawn in bandwidth-delay products, so it follows the rate and the round trip.
  const auto products = [](const Scenario& s) {
    return static_cast<double>(s.queue.limit_packets) * s.path.packet_bytes /
           (s.mean_bytes_per_s * s.round_trip_s);
  };
  EXPECT_NEAR(products(after), products(before), 0.05);
}

TEST(Scenario, NoLossIsNotTheLossOfThePreset) {
  CongestionControlConfig config{.preset = "pantheon-1"};
  EXPECT_DOUBLE_EQ(drawn(config).path.loss, 0.0477);
  config.loss = 0;
  EXPECT_DOUBLE_EQ(drawn(config).path.loss, 0);
}

TEST(Scenario, RefusesFieldsThatContradict) {
  EXPECT_NE(refusal("congestion_control(rate_mbps=5,link=a)").find("leave one of them out"),
            std::string::npos);
  EXPECT_NE(refusal("congestion_control(loss=-0.5)").find("neither -1"), std::string::npos);
  EXPECT_NE(refusal("congestion_control(rtt_ms=1e-9)").find("below 0.001"), std::string::npos);
  EXPECT_NE(refusal("congestion_control(rate_mbps=1e-9)").find("below 0.001"), std::string::npos);
}

}  // namespace
}  // namespace park::congestion_control
