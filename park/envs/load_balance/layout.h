#pragma once

#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/load_balance/config.h"

namespace park::load_balance {

/// The leaves, heads and metrics of load_balance.
struct ServersLayout : Layout {
  using Layout::Layout;
  explicit ServersLayout(const LoadBalanceConfig& c) : servers{c.servers} {}

  Axis servers;

  LeafOf<float> rate{observation,
                     "server.rate",
                     {.shape = {servers},
                      .high = kMaxRate,
                      .unit = "work/s",
                      .doc = "work that the server does per second"}};
  LeafOf<float> jobs{observation,
                     "server.jobs",
                     {.shape = {servers},
                      .high = kMaxJobs,
                      .doc = "jobs at the server, the one in service included"}};
  LeafOf<float> work{observation,
                     "server.work",
                     {.shape = {servers},
                      .high = kMaxJobs * kMaxJobSize,
                      .unit = "work",
                      .doc = "work left at the server, the rest of the job in service included"}};
  LeafOf<float> drain_s{
      observation,
      "server.drain_s",
      {.shape = {servers},
       .high = kMaxJobs * kMaxJobSize / kMinRate,
       .unit = "s",
       .doc = "time until the server has done the work left: server.work / server.rate"}};
  LeafOf<float> size{observation,
                     "job.size",
                     {.high = kMaxJobSize,
                      .unit = "work",
                      .doc = "size of the job that asks; 0 in the final observation"}};
  LeafOf<float> gap_s{
      observation,
      "job.since_last_arrival_s",
      {.high = 64 * kMaxIntervalS,  // a Poisson gap is at most 53 ln 2 = 36.8 times the mean
       .unit = "s",
       .doc = "time since the arrival before; for an episode's first job the time since an arrival "
              "before the episode"}};

  LeafOf<std::int32_t> server{action,
                              "server",
                              {.high = static_cast<double>(servers.size) - 1,
                               .doc = "the server that gets the job; every one is always open"}};

  MetricOf avg_response_s{
      metrics,
      "avg_response_s",
      {.unit = "s",
       .doc = "mean time from arrival to completion over the jobs that were completed"}};
  MetricOf p50_response_s{
      metrics,
      "p50_response_s",
      {.unit = "s",
       .doc = "the smallest response time that at least 50 % of the completed jobs do not exceed"}};
  MetricOf p95_response_s{metrics, "p95_response_s", {.unit = "s", .doc = "the same for 95 %"}};
  MetricOf p99_response_s{metrics, "p99_response_s", {.unit = "s", .doc = "the same for 99 %"}};
  MetricOf avg_slowdown{
      metrics,
      "avg_slowdown",
      {.doc =
           "mean over the completed jobs of response time / service time on the fastest server"}};
  MetricOf avg_jobs_in_system{
      metrics,
      "avg_jobs_in_system",
      {.unit = "jobs",
       .doc = "time average of the jobs in the system from the first arrival to the end"}};
  MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false,
       .doc = "work done / (sum of the rates x time from the first arrival to the end)"}};
  MetricOf jobs_done{
      metrics, "jobs_done", {.unit = "jobs", .lower_is_better = false, .doc = "jobs completed"}};
};

}  // namespace park::load_balance
