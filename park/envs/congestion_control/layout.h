// What a sender knows when it asks, what it may set, and the figures of an episode. The environment
// writes rows by these members, policies bind them to a received spec.
#pragma once

#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/congestion_control/config.h"

namespace park::congestion_control {

inline constexpr std::int64_t kHistory = 8;  ///< decisions of a flow that a row shows
inline constexpr double kMostMbps = 1e9, kMostPackets = 1e9, kMostRttS = 1e5;

/// The leaves, heads and metrics of congestion_control. A row is that of the flow that asks, and has
/// nothing that its sender could not know.
struct FlowLayout : Layout {
  using Layout::Layout;

  LeafOf<double> time_s{
      observation, "time_s", {.high = kMostDurationS, .unit = "s", .doc = "time of the episode"}};
  LeafOf<std::int32_t> flow{
      observation, "flow.number", {.high = kMostOwn - 1, .doc = "number of the flow that asks"}};
  LeafOf<float> asked_by_timeout{
      observation, "flow.timed_out", {.high = 1, .doc = "1: it asks because of a time-out"}};
  LeafOf<float> age_s{observation,
                      "flow.age_s",
                      {.high = kMostDurationS, .unit = "s", .doc = "time since the flow began"}};
  LeafOf<float> pacing_mbps{
      observation,
      "flow.pacing_mbps",
      {.high = kMostMbps, .unit = "Mbit/s", .doc = "pacing rate; the bound where it is not paced"}};
  LeafOf<float> window{observation,
                       "flow.window",
                       {.high = kMostPackets, .unit = "packets", .doc = "most packets in flight"}};
  LeafOf<float> inflight{
      observation,
      "flow.inflight",
      {.high = kMostPackets, .unit = "packets", .doc = "packets sent and not acknowledged"}};
  LeafOf<float> packet_bytes{
      observation, "flow.packet_bytes", {.high = 65535, .unit = "B", .doc = "size of a packet"}};
  LeafOf<float> delivery_mbps{
      observation,
      "flow.delivery_mbps",
      {.high = kMostMbps, .unit = "Mbit/s", .doc = "newest delivery-rate sample; 0: none yet"}};
  LeafOf<float> app_limited{
      observation,
      "flow.app_limited",
      {.high = 1, .doc = "1: that sample is a lower bound, because there was nothing to send"}};
  LeafOf<float> rtt_s{
      observation, "rtt.last_s", {.high = kMostRttS, .unit = "s", .doc = "newest round trip"}};
  LeafOf<float> smooth_rtt_s{
      observation, "rtt.smooth_s", {.high = kMostRttS, .unit = "s", .doc = "smoothed (RFC 6298)"}};
  LeafOf<float> least_rtt_s{observation,
                            "rtt.least_s",
                            {.high = kMostRttS, .unit = "s", .doc = "least of the connection"}};

  // Since the last decision of the flow; the newest of the history is the same.
  LeafOf<float> interval_s{
      observation,
      "interval.length_s",
      {.high = kMostDurationS, .unit = "s", .doc = "time since its last decision"}};
  LeafOf<float> sent{observation,
                     "interval.sent",
                     {.high = kMostPackets, .unit = "packets", .doc = "sent since then"}};
  LeafOf<float> acked{observation,
                      "interval.acked",
                      {.high = kMostPackets, .unit = "packets", .doc = "acknowledged since then"}};
  LeafOf<float> lost{observation,
                     "interval.lost",
                     {.high = kMostPackets, .unit = "packets", .doc = "found lost since then"}};
  LeafOf<float> marked{
      observation,
      "interval.marked",
      {.high = kMostPackets, .unit = "packets", .doc = "acknowledged with a mark of ECN"}};

  LeafOf<float> past_sent_mbps{observation,
                               "past.sent_mbps",
                               {.shape = {kHistory},
                                .high = kMostMbps,
                                .unit = "Mbit/s",
                                .doc = "sending rate of the last intervals, the newest first"}};
  LeafOf<float> past_acked_mbps{
      observation,
      "past.acked_mbps",
      {.shape = {kHistory}, .high = kMostMbps, .unit = "Mbit/s", .doc = "rate of acknowledgement"}};
  LeafOf<float> past_rtt_s{
      observation,
      "past.rtt_s",
      {.shape = {kHistory}, .high = kMostRttS, .unit = "s", .doc = "mean round trip; 0: none"}};
  LeafOf<float> past_lost_share{
      observation,
      "past.lost_share",
      {.shape = {kHistory}, .high = 1, .doc = "lost / (lost + acknowledged); 0: neither"}};

  // What a sender cannot know.
  LeafOf<float> capacity_mbps{
      observation,
      "info.capacity_mbps",
      {.high = kMostMbps, .unit = "Mbit/s", .doc = "rate of the link now, for people"}};
  LeafOf<float> queue{
      observation,
      "info.queue",
      {.high = kMostPackets, .unit = "packets", .doc = "packets that wait, for people"}};

  LeafOf<float> rate{
      action,
      "rate",
      {.low = -1,
       .high = 1,
       .doc =
           "action=rate: the pacing rate becomes the mean of itself and of the delivery rate, "
           "times 4^rate. aurora: the rate times 1 + 0.025 (40 rate), or divided by that, within "
           "40-1000 packets/s. "
           "(kind + second) 2^-60 hands over to a built-in sender, see the page"}};
  LeafOf<float> cap{
      action,
      "cap",
      {.high = 1,
       .doc =
           "action=rate: at most delivery rate x least round trip x 2^(6 cap - 1) packets are in "
           "flight. cwnd: 10^(5 cap) packets. With a built-in sender its first parameter"}};

  MetricOf score{metrics,
                 "score",
                 {.lower_is_better = false,
                  .doc = "mean over the own flows of ln(goodput / share of the capacity, at most "
                         "1) - 0.5 ln(mean round trip / base round trip) - 2 x own loss"}};
  MetricOf utilisation{metrics,
                       "utilisation",
                       {.lower_is_better = false,
                        .doc = "bytes that left the link and were received / bytes that could"}};
  MetricOf goodput_mbps{metrics,
                        "goodput_mbps",
                        {.unit = "Mbit/s",
                         .lower_is_better = false,
                         .doc = "acknowledged bytes of the own flows over the episode"}};
  MetricOf queue_ms{
      metrics, "queue_ms", {.unit = "ms", .doc = "mean wait in the queue of packets that left it"}};
  MetricOf queue_p95_ms{
      metrics, "queue_p95_ms", {.unit = "ms", .doc = "95th percentile of the same, to 2 %"}};
  MetricOf rtt_ms{
      metrics, "rtt_ms", {.unit = "ms", .doc = "mean round trip of the own flows' packets"}};
  MetricOf own_loss{metrics,
                    "own_loss",
                    {.doc = "lost / sent packets of the own flows beyond the path's own loss"}};
  MetricOf jain{metrics,
                "jain",
                {.lower_is_better = false,
                 .doc = "Jain's index of the own flows' goodputs while they were there"}};
  MetricOf share{metrics,
                 "share",
                 {.lower_is_better = false,
                  .doc = "bytes of the own flows / bytes of all flows, from when all had begun"}};
  MetricOf startup_score{
      metrics,
      "startup_score",
      {.lower_is_better = false, .doc = "score of each own flow's first tenth of the episode"}};
  MetricOf steady_score{metrics,
                        "steady_score",
                        {.lower_is_better = false, .doc = "score of each own flow after that"}};
  MetricOf timeouts{metrics, "timeouts", {.doc = "time-outs of the own flows"}};
};

}  // namespace park::congestion_control
