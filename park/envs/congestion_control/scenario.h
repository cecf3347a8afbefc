#pragma once

#include <memory>
#include <string>

#include "park/core/rng.h"
#include "park/envs/congestion_control/config.h"
#include "park/net/simulator.h"

namespace park::congestion_control {

/// A range that a quantity is drawn from, uniformly or uniformly in its logarithm.
struct Range {
  double low = 0, high = 0;
  bool logarithmic = false;

  [[nodiscard]] double draw(Rng rng) const noexcept;
};

/// The links of a preset.
struct LinkFamily {
  Range mbps{48, 48, false};
  Range round_trip_s{0.05, 0.05, false};  ///< propagation both ways
  Range queue_bdp{}, queue_packets{};     ///< one of the two; in packets of the mean rate
  Range loss{};                           ///< of packets behind the link
  double lossless_share = 0;              ///< links without any loss
  Range sigma{};                          ///< of the logarithm of the rate
  double step_s = 0.1, correlation_s = 1;
  double outage_share = 0, outages_on = 0;  ///< of the time, on that share of the links
  bool poisson = false;
  Range policed{}, burst_s{};  ///< a policer's rate as a share of the link's, and its bucket
  double duration_s = 30, duration_rtts = 0;  ///< the second in place of the first, if above 0
  double interval_scale = 1;
  double ack_link_mbps = 0, ack_period_s = 0;
  std::uint16_t packet_bytes = 1500;
};

/// REQUIRES a preset of the configuration.
[[nodiscard]] LinkFamily family_of(const std::string& preset);

/// What an episode draws from its inputs.
struct Scenario {
  net::LinkConfig link;
  net::QueueConfig queue;
  net::PathConfig path;
  double round_trip_s = 0, duration_s = 0, interval_least_s = 0;
  double mean_bytes_per_s = 0;
  double base_rtt_s = 0;  ///< propagation and the transmission of one packet at the mean rate
};
[[nodiscard]] Scenario draw_scenario(const CongestionControlConfig&, const LinkFamily&,
                                     const std::shared_ptr<const net::Opportunities>&, Rng);

[[nodiscard]] net::Discipline discipline_of(const std::string& name) noexcept;
[[nodiscard]] net::SenderKind sender_of(const std::string& name) noexcept;

}  // namespace park::congestion_control
