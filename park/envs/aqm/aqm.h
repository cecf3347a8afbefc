#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "park/core/env.h"
#include "park/core/space.h"
#include "park/envs/aqm/config.h"
#include "park/envs/aqm/layout.h"
#include "park/envs/aqm/workload.h"
#include "park/net/hand_over.h"
#include "park/net/simulator.h"
#include "park/sim/timeline_switch.h"

namespace park::aqm {

/// Built-in disciplines that a policy may hand over to (net/hand_over.h).
enum class BuiltIn : int { tail_drop = 1, red, codel, pie, fq_codel, dualpi2, known_path };

/// Reports to an event sink. Each flow's begin is a point "arrival" on the lane "flows". There are
/// series of the queueing delay, the backlog, the drops and the probability.
class QueueTimeline : public sim::TimelineSwitch {
 public:
  void begin() const { sink().lane("flows"); }
  void arrival(double time_s, std::size_t flow, double round_trip_s) const;
  void interval(double time_s, double delay_s, double backlog, double dropped,
                double probability) const;
};

/// Active queue management: the queue before a link asks every interval_s with which probability
/// arriving packets are to be dropped or marked. The first question comes at the time 0, before the
/// first packet. Senders answer drops and marks as TCP does (net/simulator.h). The reward of a decision
/// is that of the interval after it. The episode terminates after its duration; at Episode::horizon_s
/// it is truncated. Episode::inputs seeds link and senders, Episode::dynamics the drops.
///
/// Source: H. Mao et al., Park, NeurIPS 2019 (its environment aqm); scenarios after N. Kuhn et al.,
/// "Characterization guidelines for active queue management", RFC 7928.
class Aqm final : public Env {
 public:
  using Config = AqmConfig;
  [[nodiscard]] static Spec spec(const Config&);
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config& c) {
    return c.files();
  }

  /// REQUIRES a configuration that parse_config accepts. Throws Error{io}, Error{bad_file} of the link.
  explicit Aqm(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// 0 for what an episode without a packet does not define.
  void metrics(std::span<double>) const override;
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Sent packets, departures and acknowledgements.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return sim_.events(); }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;

 private:
  /// Totals since the begin.
  struct Totals {
    net::QueueCounts queue{};
    double delay_sum_s = 0, delays = 0, capacity_bytes = 0, delivered_bytes = 0;
  };

  void apply(float action);
  void hand_over(const net::HandOver&);
  [[nodiscard]] Totals totals();
  [[nodiscard]] double close_interval(double length_s);
  void announce();
  void observe(Row) const;
  [[nodiscard]] double jain() const noexcept;

  // Set once.
  Config config_;
  QueueLayout layout_;
  std::shared_ptr<const net::Opportunities> listed_;

  // The episode.
  Workload workload_;
  net::Simulator sim_;
  std::vector<std::uint32_t> begins_;  // the flows in the order of their begin
  std::size_t announced_ = 0;
  net::HandOver handed_{};
  net::Nanos duration_ = 0, horizon_ = net::kNever, steady_ = 0;
  Totals before_{}, at_steady_{}, now_{};
  bool steady_marked_ = false, waited_ = false;
  double probability_ = 0, seen_mbps_ = 0;
  std::array<float, kHistory> delay_{}, arrived_{}, departed_{};
  double dropped_ = 0, marked_ = 0;

  QueueTimeline timeline_;
};

}  // namespace park::aqm
