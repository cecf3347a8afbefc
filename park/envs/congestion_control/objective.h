#pragma once

#include <string>

namespace park::congestion_control {

/// What a flow did between two decisions. Packets, seconds; rates in packets per second.
struct Interval {
  double length_s = 0;
  double sent = 0, acked = 0, lost = 0, marked = 0;
  double rtt_s = 0;        ///< mean; the last known where no ack came
  double samples = 0;      ///< of round trips
  double least_rtt_s = 0;  ///< of the connection
  double packet_bytes = 1500;
  // What a sender cannot know.
  double capacity = 0;    ///< packets that could have left the link
  double fair_share = 1;  ///< of them, for this flow
  double base_rtt_s = 0, path_loss = 0;
  double mean_capacity = 0;  ///< packets per second of the whole link
  // What the flow saw so far.
  double most_throughput = 0;  ///< packets per second
  std::size_t flows = 1;       ///< on the link
  std::size_t beside = 0;      ///< of them, those that nobody decides
  double beside_acked = 0;     ///< packets of these
};

enum class Objective : unsigned char {
  score,
  fair,
  park,
  aurora,
  aurora_compat,
  genet,
  orca,
  sage
};
[[nodiscard]] Objective objective_of(const std::string& name) noexcept;

/// The reward of an interval, as published but for what is said here:
/// - score: per second, ln(acked / fair share of the capacity) - 0.5 ln(rtt / base rtt) - 2 x loss
///   beyond the path's own. Logarithms of shares stay within ln 0.01 and ln 2, beside other flows
///   ln 1: what a flow takes beyond its share is no gain. 0 where nothing could be sent.
/// - fair: score and, beside flows that nobody decides, the same logarithm of what these have of their
///   shares, at most ln 1. It is harm as R. Ware et al. define it (HotNets 2019). The sum is largest
///   where all have their share. To take what others leave costs nothing.
/// - park: log2(throughput in B/s) - 0.5 log2(rtt - least rtt in us), per decision. Each argument
///   is at least 1: Park's code leaves a term out where it is 0 and so jumps. Losses are not
///   punished there.
/// - aurora: 0.001 (10 throughput in packets/s - 1000 latency in s - 2000 loss), per decision.
/// - aurora_compat: the same with two defects of PCC-RL's network_sim.py, for comparisons with what was
///   trained there. A packet less counts as acknowledged, so the first one brings nothing. An interval
///   without an ack has the latency 0, so silence is rewarded.
/// - genet: 10 x 50 x throughput / mean bandwidth of the link - 1000 latency - 2000 loss, per
///   decision.
/// - orca: (throughput - 5 loss rate) / largest throughput x min(1, 1.25 least rtt / rtt), per
///   decision.
/// - sage: for one flow 25 ((throughput - 2 loss rate) / bandwidth)^2 x d with its sign. There d =
///   1 if least rtt / rtt >= 0.8, else that ratio. For several flows 25 exp(-8 (throughput / fair
///   share - 1)^2).
[[nodiscard]] double reward_of(Objective, const Interval&) noexcept;

}  // namespace park::congestion_control
