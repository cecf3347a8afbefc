#pragma once

#include <cstddef>

#include "park/envs/dl_inference/layout.h"

namespace park::inference {

/// The leaves, heads and metrics of dl_inference, and metrics of a real server.
struct LiveLayout : dl_inference::InferenceLayout {
  explicit LiveLayout(std::size_t apps) : InferenceLayout(apps) {}

  MetricOf requests_unanswered{
      metrics,
      "requests_unanswered",
      {.unit = "requests", .doc = "neither served nor rejected when the episode ended"}};
  MetricOf own_rule_batches{
      metrics,
      "own_rule_batches",
      {.unit = "batches",
       .doc = "chosen by the server's own rule, where a decision was missing, late or illegal"}};
  MetricOf send_lag_s{
      metrics,
      "send_lag_s",
      {.unit = "s",
       .doc = "mean time from the scheduled arrival to the sending of a request; it is part of the "
              "latency"}};
  MetricOf dispatch_s{
      metrics,
      "dispatch_s",
      {.unit = "s",
       .doc = "mean time over the batches for which the device stood still while requests waited: "
              "what the decision took, its way, and the threads between"}};
  MetricOf network_s{
      metrics,
      "network_s",
      {.unit = "s",
       .doc = "mean time of a request that was neither in the server before its batch nor in the "
              "batch: its way there, and that of the reply"}};
};

}  // namespace park::inference
