// The observation, the action and the metrics of batched inference. Each member declares a leaf, a
// head or a metric, and is its handle afterwards. The environment declares its spec with a layout of
// its number of applications; policies bind one to a spec that they are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/layout.h"
#include "park/envs/dl_inference/config.h"

namespace park::dl_inference {

inline constexpr const char* kDlInferenceName = "dl_inference";
inline constexpr std::int64_t kPowers = 9;    ///< batches of 1, 2, 4 .. 256 requests
inline constexpr std::int64_t kQuarters = 4;  ///< of a batch

/// The leaves, heads and metrics of dl_inference.
struct InferenceLayout : Layout {
  using Layout::Layout;
  explicit InferenceLayout(std::size_t apps) {
    for (std::size_t i = 0; i < apps; ++i)
      device_s.emplace_back(metrics, "device_s_" + std::to_string(i),
                            MetricDoc{.unit = "s",
                                      .lower_is_better = false,
                                      .doc = "time of the device that application " +
                                             std::to_string(i) + " has used"});
  }

  static constexpr double kMostSeconds = 1e18;
  static constexpr double kMostCount = 1e12;  ///< requests
  static constexpr double kMostRate = 1e12;   ///< requests per second
  static constexpr double kTenthS = 0.1, kSecondS = 1;

  GroupOf choices{observation, "choices", kMaxApps + 1};

  LeafOf<std::int32_t> app{choices,
                           "choice.app",
                           {.low = -1,
                            .high = kMaxApps - 1,
                            .doc = "number of the application; -1 for the choice to wait"}};
  LeafOf<std::uint8_t> wait{
      choices, "choice.wait", {.high = 1, .doc = "1: the choice to wait, the last element"}};
  LeafOf<float> queue{
      choices, "choice.queue", {.high = kMostCount, .unit = "requests", .doc = "waiting requests"}};
  LeafOf<float> oldest_s{
      choices,
      "choice.oldest_s",
      {.high = kMostSeconds, .unit = "s", .doc = "how long the oldest request has waited"}};
  LeafOf<float> wait_sum_s{
      choices,
      "choice.wait_sum_s",
      {.high = kMostSeconds * kMostCount,
       .unit = "s",
       .doc = "sum over the waiting requests of the time that they have waited"}};
  LeafOf<float> batch_wait_s{
      choices,
      "choice.batch_wait_s",
      {.shape = {kQuarters},
       .high = kMostSeconds,
       .unit = "s",
       .doc = "mean time waited in each quarter of the largest batch, the oldest quarter first; a "
              "request may belong to two quarters in part"}};
  LeafOf<float> arrivals_tenth{
      choices,
      "choice.arrivals_tenth",
      {.high = kMostCount, .unit = "requests", .doc = "arrivals of the last 0.1 s"}};
  LeafOf<float> arrivals_second{
      choices,
      "choice.arrivals_second",
      {.high = kMostCount, .unit = "requests", .doc = "arrivals of the last second"}};
  LeafOf<float> rate{
      choices,
      "choice.rate",
      {.high = kMostRate, .unit = "requests/s", .doc = "mean arrivals per second; fixed"}};
  LeafOf<float> single_s{choices,
                         "choice.single_s",
                         {.high = kMaxLatencyS,
                          .unit = "s",
                          .doc = "latency of a batch of one, the unit of slowdowns; fixed"}};
  LeafOf<float> full_s{
      choices,
      "choice.full_s",
      {.high = kMaxLatencyS, .unit = "s", .doc = "latency of a batch of batch.max requests"}};
  LeafOf<float> latency_s{
      choices,
      "choice.latency_s",
      {.shape = {kPowers},
       .high = kMaxLatencyS,
       .unit = "s",
       .doc = "latency of batches of 1, 2, 4 .. 256 requests, or of choice.max_batch where that is "
              "smaller; fixed"}};
  LeafOf<float> max_batch{
      choices,
      "choice.max_batch",
      {.high = kMaxBatch, .unit = "requests", .doc = "most requests of a batch; fixed"}};
  LeafOf<float> used_tenth_s{
      choices,
      "choice.used_tenth_s",
      {.high = kTenthS, .unit = "s", .doc = "time of the device used in the last 0.1 s"}};
  LeafOf<float> used_second_s{
      choices,
      "choice.used_second_s",
      {.high = kSecondS, .unit = "s", .doc = "time of the device used in the last second"}};
  LeafOf<float> used_s{
      choices,
      "choice.used_s",
      {.high = kMostSeconds, .unit = "s", .doc = "time of the device used in the episode"}};
  LeafOf<float> weight{
      choices,
      "choice.weight",
      {.high = 1e6, .doc = "weight of the application's slowdowns in the reward; fixed"}};
  LeafOf<float> deadline_s{choices,
                           "choice.deadline_s",
                           {.high = kMostSeconds,
                            .unit = "s",
                            .doc = "deadline of a request, after its arrival; fixed"}};
  LeafOf<std::uint8_t> mask{
      choices,
      "mask.choice",
      {.high = 1,
       .doc = "may be chosen: always an application, waiting while requests may still arrive"}};
  LeafOf<std::int32_t> batch_min{choices,
                                 "batch.min",
                                 {.high = kMaxBatch,
                                  .unit = "requests",
                                  .doc = "smallest batch: 1; 0 for the choice to wait"}};
  LeafOf<std::int32_t> batch_max{
      choices,
      "batch.max",
      {.high = kMaxBatch,
       .unit = "requests",
       .doc = "largest batch: the smaller of choice.queue and choice.max_batch; 0 for the choice "
              "to wait"}};

  LeafOf<double> time_s{
      observation, "time_s", {.high = kMostSeconds, .unit = "s", .doc = "time of the episode"}};

  LeafOf<std::int32_t> choice{
      action,
      "choice",
      {.doc = "the application whose oldest requests the device serves next, or waiting",
       .index_of = "choices"}};
  LeafOf<std::int32_t> batch{
      action,
      "batch",
      {.high = kMaxBatch, .unit = "requests", .doc = "how many of them", .given = {"choice"}}};

  MetricOf macro_slowdown{
      metrics,
      "macro_slowdown",
      {.doc = "mean over the applications of their mean slowdown; a slowdown is (completion - "
              "arrival) / latency of a batch of one, and a dropped request has (drop - arrival) / "
              "that latency + drop_cost; applications without a finished request are left out"}};
  MetricOf avg_slowdown{metrics, "avg_slowdown", {.doc = "mean slowdown over the requests"}};
  MetricOf p50_slowdown{
      metrics,
      "p50_slowdown",
      {.doc = "the smallest slowdown that at least 50 % of the requests do not exceed"}};
  MetricOf p95_slowdown{metrics, "p95_slowdown", {.doc = "the same for 95 %"}};
  MetricOf p99_slowdown{metrics, "p99_slowdown", {.doc = "the same for 99 %"}};
  MetricOf worst_slowdown{
      metrics, "worst_slowdown", {.doc = "largest of the applications' mean slowdowns"}};
  MetricOf avg_wait_s{metrics,
                      "avg_wait_s",
                      {.unit = "s",
                       .doc = "mean time from arrival to the start of the batch over the completed "
                              "requests; 0 where there is none"}};
  MetricOf avg_requests{
      metrics,
      "avg_requests",
      {.unit = "requests",
       .doc = "time average of the requests in the system from the first arrival to the end"}};
  MetricOf requests_done{
      metrics, "requests_done", {.unit = "requests", .lower_is_better = false, .doc = "completed"}};
  MetricOf requests_dropped{
      metrics, "requests_dropped", {.unit = "requests", .doc = "dropped after their deadline"}};
  MetricOf in_time_share{
      metrics,
      "in_time_share",
      {.lower_is_better = false,
       .doc = "completions within the deadline over all completed and dropped requests"}};
  MetricOf avg_batch{metrics,
                     "avg_batch",
                     {.unit = "requests",
                      .lower_is_better = false,
                      .doc = "mean size of the batches; 0 where there is none"}};
  MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false,
       .doc = "time of the device in use over the time from the first arrival to the end"}};
  std::vector<MetricOf> device_s{};  ///< of each application
};

}  // namespace park::dl_inference
