#pragma once

#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/aqm/config.h"

namespace park::aqm {

inline constexpr std::int64_t kHistory = 8;  ///< intervals that a row shows
inline constexpr double kMostPackets = 1e9, kMostDelayS = 1e6, kMostMbps = 1e9;

/// The leaves, the head and the metrics of aqm: what the owner of the queue sees.
struct QueueLayout : Layout {
  using Layout::Layout;

  LeafOf<double> time_s{
      observation, "time_s", {.high = kMostDurationS, .unit = "s", .doc = "time of the episode"}};
  LeafOf<float> backlog{observation,
                        "queue.backlog",
                        {.high = kMostPackets, .unit = "packets", .doc = "packets that wait"}};
  LeafOf<float> head_delay_s{observation,
                             "queue.head_delay_s",
                             {.high = kMostDelayS,
                              .unit = "s",
                              .doc = "wait so far of the next packet; 0 with flow queues"}};
  LeafOf<float> limit{observation,
                      "queue.limit",
                      {.high = kMostPackets, .unit = "packets", .doc = "packets that it holds"}};
  LeafOf<float> probability{
      observation,
      "queue.probability",
      {.high = 1, .doc = "with which packets were dropped or marked in the last interval"}};
  LeafOf<float> delay_s{observation,
                        "interval.delay_s",
                        {.high = kMostDelayS,
                         .unit = "s",
                         .doc = "mean wait of the packets that left in it; 0: none"}};
  LeafOf<float> arrived{
      observation, "interval.arrived", {.high = kMostPackets, .unit = "packets", .doc = "offered"}};
  LeafOf<float> departed{observation,
                         "interval.departed",
                         {.high = kMostPackets, .unit = "packets", .doc = "given to the link"}};
  LeafOf<float> dropped{
      observation, "interval.dropped", {.high = kMostPackets, .unit = "packets", .doc = "dropped"}};
  LeafOf<float> marked{
      observation, "interval.marked", {.high = kMostPackets, .unit = "packets", .doc = "marked"}};
  LeafOf<float> capacity_mbps{
      observation,
      "link.seen_mbps",
      {.high = kMostMbps,
       .unit = "Mbit/s",
       .doc = "departures of the last interval at whose ends packets waited, over its length"}};
  LeafOf<float> past_delay_s{observation,
                             "past.delay_s",
                             {.shape = {kHistory},
                              .high = kMostDelayS,
                              .unit = "s",
                              .doc = "interval.delay_s of the last intervals, the newest first"}};
  LeafOf<float> past_arrived{
      observation,
      "past.arrived",
      {.shape = {kHistory}, .high = kMostPackets, .unit = "packets", .doc = "interval.arrived"}};
  LeafOf<float> past_departed{
      observation,
      "past.departed",
      {.shape = {kHistory}, .high = kMostPackets, .unit = "packets", .doc = "interval.departed"}};
  LeafOf<float> flows{
      observation,
      "info.flows",
      {.high = kMostPackets, .unit = "flows", .doc = "flows with something to send, for people"}};

  LeafOf<float> drop{
      action,
      "probability",
      {.high = 1,
       .doc =
           "raised to exponent, times most_probability: the probability that an arriving packet is "
           "dropped, or marked with ECN. (kind + parameter) 2^-60 hands over to a built-in "
           "discipline, see the page"}};

  MetricOf score{metrics,
                 "score",
                 {.lower_is_better = false,
                  .doc = "ln(utilisation) - 0.1 ln(1 + mean queueing delay / 5 ms)"}};
  MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false, .doc = "bytes received / bytes that could leave"}};
  MetricOf queue_ms{
      metrics, "queue_ms", {.unit = "ms", .doc = "mean wait in the queue of packets that left it"}};
  MetricOf queue_p95_ms{
      metrics, "queue_p95_ms", {.unit = "ms", .doc = "95th percentile of the same, to 2 %"}};
  MetricOf steady_utilisation{
      metrics,
      "steady_utilisation",
      {.lower_is_better = false, .doc = "utilisation without the first quarter of the episode"}};
  MetricOf steady_queue_ms{
      metrics, "steady_queue_ms", {.unit = "ms", .doc = "queue_ms without that quarter"}};
  MetricOf dropped_share{metrics, "dropped_share", {.doc = "dropped / offered packets"}};
  MetricOf marked_share{metrics, "marked_share", {.doc = "marked / offered packets"}};
  MetricOf jain{metrics,
                "jain",
                {.lower_is_better = false,
                 .doc = "Jain's index of the acknowledged packets of the long flows"}};
  MetricOf completion_s{
      metrics,
      "completion_s",
      {.unit = "s", .doc = "mean time of the on-off flows that finished; 0 without one"}};
};

}  // namespace park::aqm
