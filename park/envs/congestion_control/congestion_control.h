#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/space.h"
#include "park/envs/congestion_control/config.h"
#include "park/envs/congestion_control/layout.h"
#include "park/envs/congestion_control/objective.h"
#include "park/envs/congestion_control/scenario.h"
#include "park/envs/congestion_control/timeline.h"
#include "park/net/hand_over.h"
#include "park/net/simulator.h"

namespace park::congestion_control {

/// Built-in senders that a policy may hand over to (net/hand_over.h).
enum class BuiltIn : int { reno = 1, cubic, vegas, copa, bbr, dctcp, clairvoyant };

/// Congestion control. Each own flow asks every max(interval_rtts x smoothed round trip,
/// interval_least_s) and at its time-outs, and is answered with a pacing rate and a window. Before
/// its first acknowledgement it asks once, when it begins, and then after one propagation time.
///
/// Packets cross one queue and one link (net/simulator.h); the scenario is drawn from
/// Episode::inputs, losses and random drops from Episode::dynamics. Flow 0 begins within one round
/// trip, and the episode's first question with it. Other own flows begin within a fifth of the episode
/// after it, flows beside at beside_start_s. Rows of several own flows follow one another in time, each
/// with what that flow alone knows. The reward of a row is that of the asking flow's last interval.
/// At the end the rewards of all own flows are added. The episode terminates after its duration; at
/// Episode::horizon_s it is truncated.
///
/// Source: H. Mao et al., Park, NeurIPS 2019 (its environment congestion_control); the form of the
/// decisions after N. Jay et al., "A deep reinforcement learning perspective on Internet congestion
/// control", ICML 2019, and A. Narayan et al., "Restructuring endpoint congestion control", SIGCOMM
/// 2018.
class CongestionControl final : public Env {
 public:
  using Config = CongestionControlConfig;
  [[nodiscard]] static Spec spec(const Config&);
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config& c) {
    return c.files();
  }

  /// REQUIRES a configuration that parse_config accepts. Throws Error{io}, Error{bad_file} of the link.
  explicit CongestionControl(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// 0 for what an episode without a packet, or without duration, does not define.
  void metrics(std::span<double>) const override;
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Sent packets, departures and acknowledgements.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return sim_.events(); }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;

 private:
  /// What a flow did in a part of the episode. Packets, seconds.
  struct Part {
    double acked = 0, lost = 0, rtt_sum_s = 0, rtt_count = 0;
    double could = 0;  ///< its shares of the capacity

    [[nodiscard]] Part since(const Part& before) const noexcept;
  };
  /// What the environment knows of an own flow.
  struct Own {
    net::Nanos begins = 0, next = 0, last = 0;
    net::FlowCounts before{};
    double capacity_before = 0, beside_acked_before = 0, most_throughput = 0;
    double could = 0;     ///< packets: its shares of the capacity so far
    bool steady = false;  ///< the start-up is over
    Part startup{};       ///< then
    net::HandOver handed{};
    bool timed_out = false;
    Interval interval{};
    std::array<float, kHistory> sent{}, acked{}, rtt{}, lost{};
  };

  void add_flows(Rng inputs);
  void apply(ConstRow action);
  void hand_over(const net::HandOver&);
  void set_rate(double rate, double cap);
  [[nodiscard]] net::Nanos interval_of(const Own&, std::size_t flow) const noexcept;
  /// Moves time to the next question; false where the episode ends first.
  bool advance();
  [[nodiscard]] double close_interval(std::size_t flow);
  [[nodiscard]] double capacity_packets() noexcept;
  [[nodiscard]] double beside_acked() const noexcept;
  [[nodiscard]] Interval interval_now(std::size_t flow) noexcept;
  void report(std::size_t flow);
  void announce();
  Outcome finish(net::Nanos before);
  void mark_common_begin();
  [[nodiscard]] Part so_far(std::size_t flow) const noexcept;
  [[nodiscard]] double score_of(const Part&) const noexcept;
  [[nodiscard]] double jain() const noexcept;
  [[nodiscard]] double share() const noexcept;
  void observe(Row);
  void observe_past(Row) const;
  [[nodiscard]] double mbps(double packets_per_s) const noexcept;

  // Set once.
  Config config_;
  FlowLayout layout_;
  LinkFamily family_;
  Objective objective_;
  std::shared_ptr<const net::Opportunities> listed_;

  // The episode.
  Scenario scenario_;
  net::Simulator sim_;
  std::vector<net::FlowConfig> flows_;
  std::vector<Own> own_;
  std::vector<std::uint32_t> begins_;  // the flows in the order of their begin
  std::vector<double> common_acked_;   // of each flow, when all had begun
  std::size_t asking_ = 0, announced_ = 0;
  net::Nanos duration_ = 0, horizon_ = net::kNever, common_begin_ = 0;
  bool common_marked_ = false;
  double capacity_bytes_ = 0;  // of the whole episode

  FlowTimeline timeline_;
};

}  // namespace park::congestion_control
