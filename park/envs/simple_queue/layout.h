#pragma once

#include <algorithm>
#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/simple_queue/config.h"

namespace park::simple_queue {

/// The leaves, heads and metrics of simple_queue.
struct QueueLayout : Layout {
  using Layout::Layout;
  explicit QueueLayout(const SimpleQueueConfig& c)
      : servers(c.servers),
        room(std::min(c.waiting_room, kMaxQueueJobs)),
        highest(std::ranges::max(c.priorities)),
        classes{static_cast<std::int64_t>(c.priorities.size())} {}

  // Bounds: the widest, where the layout binds.
  double servers = kMaxQueueServers, room = kMaxQueueJobs, highest = kMaxPriority;
  Axis classes;

  LeafOf<float> busy{observation, "server.busy", {.high = servers, .doc = "busy servers"}};
  LeafOf<float> free{observation, "server.free", {.high = servers, .doc = "free servers"}};
  LeafOf<float> waiting{
      observation, "queue.waiting", {.high = room, .doc = "admitted jobs that wait"}};
  LeafOf<float> places{observation,
                       "queue.places",
                       {.high = room, .doc = "places left in the waiting room, at most 1e9"}};
  LeafOf<float> job_reward{
      observation,
      "job.reward",
      {.high = highest, .doc = "priority of the job that asks; 0 in the final observation"}};

  // The values that do not change within an episode.
  LeafOf<float> class_reward{
      observation,
      "class.reward",
      {.shape = {classes}, .high = kMaxPriority, .doc = "priority of each class"}};
  LeafOf<float> interval_s{
      observation,
      "arrival.interval_s",
      {.high = kMaxQueueTimeS, .unit = "s", .doc = "mean time between arrivals"}};
  LeafOf<float> gap_cv{
      observation,
      "arrival.gap_cv",
      {.high = 1, .doc = "coefficient of variation of these times: 0 slotted, 1 Poisson"}};
  LeafOf<float> service_s{
      observation,
      "service.mean_s",
      {.high = kMaxQueueTimeS / kMinFreeProbability, .unit = "s", .doc = "mean service time"}};
  LeafOf<float> waiting_cost{
      observation,
      "queue.waiting_cost",
      {.high = kMaxWaitingCost, .unit = "1/s", .doc = "cost per second of each job that waits"}};

  LeafOf<std::int32_t> admit{
      action,
      "admit",
      {.high = 1,
       .doc = "1 admits the job that asks, 0 refuses it; admitting where neither a "
              "server nor a place is free loses the job, without a reward"}};

  MetricOf reward_per_job{
      metrics,
      "reward_per_job",
      {.lower_is_better = false, .doc = "sum of the rewards / jobs that asked"}};
  MetricOf admitted_share{
      metrics,
      "admitted_share",
      {.lower_is_better = false, .doc = "jobs admitted and not lost / jobs that asked"}};
  MetricOf lost_share{metrics,
                      "lost_share",
                      {.doc = "jobs admitted without a free server or place / jobs that asked"}};
  MetricOf avg_wait_s{
      metrics,
      "avg_wait_s",
      {.unit = "s", .doc = "mean time from arrival to start of service over the jobs served"}};
  MetricOf p95_wait_s{
      metrics,
      "p95_wait_s",
      {.unit = "s",
       .doc = "the smallest wait that at least 95 % of the jobs served do not exceed"}};
  MetricOf avg_response_s{
      metrics,
      "avg_response_s",
      {.unit = "s", .doc = "mean time from arrival to completion over the jobs served"}};
  MetricOf avg_jobs_waiting{
      metrics,
      "avg_jobs_waiting",
      {.unit = "jobs",
       .doc = "time average of the jobs that wait from the first arrival to the end"}};
  MetricOf avg_jobs_in_system{
      metrics,
      "avg_jobs_in_system",
      {.unit = "jobs", .doc = "the same of the jobs that wait or are in service"}};
  MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false, .doc = "time average of the busy servers / servers"}};
  MetricOf jobs_served{
      metrics,
      "jobs_served",
      {.unit = "jobs", .lower_is_better = false, .doc = "jobs whose service ended"}};
};

}  // namespace park::simple_queue
