#pragma once

#include <park/core/layout.h>

#include <cstdint>

#include "config.h"

namespace project::newenv {

/// The leaves, the head and the metrics: each member declares itself and is the handle for rows.
struct SingleServerLayout : park::Layout {
  using Layout::Layout;
  explicit SingleServerLayout(const SingleServerConfig& c)
      : jobs(c.jobs),
        longest_s(kLongestDraw * c.size_s),
        episode_s(kLongestDraw * c.jobs * (c.interval_s + c.size_s)) {}

  // Bounds. A layout that binds a received spec has no configuration, so the defaults are the widest.
  std::int64_t jobs = kMostJobs;
  double longest_s = kLongestDraw * kMostTimeS;
  double episode_s = kLongestDraw * kMostJobs * 2 * kMostTimeS;

  park::LeafOf<float> to_come{
      observation,
      "to_come",
      {.high = static_cast<double>(jobs), .doc = "jobs of the episode that have not arrived yet"}};

  // A group: its leaves have one value for each job that waits, in the order of arrival.
  park::GroupOf waiting{observation, "jobs", jobs};
  park::LeafOf<float> size_s{
      waiting,
      "job.size_s",
      {.high = longest_s, .unit = "s", .doc = "time that the server needs for the job"}};
  park::LeafOf<float> wait_s{
      waiting, "job.wait_s", {.high = episode_s, .unit = "s", .doc = "time since it arrived"}};

  park::LeafOf<std::int32_t> next{
      action, "next", {.doc = "the job that the server takes next", .index_of = "jobs"}};

  park::MetricOf response_s{
      metrics,
      "avg_response_s",
      {.unit = "s", .doc = "mean time from arrival to completion over the jobs served"}};
  park::MetricOf avg_wait_s{
      metrics,
      "avg_wait_s",
      {.unit = "s", .doc = "mean time from arrival to start of service over the jobs started"}};
  park::MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false, .doc = "part of the time in which the server is busy"}};
};

}  // namespace project::newenv
