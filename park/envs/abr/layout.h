#pragma once

#include <cstddef>
#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/abr/config.h"
#include "park/envs/abr/network_trace.h"
#include "park/envs/abr/video.h"

namespace park::abr {

/// Chunks that the observation looks back and, after the next one, ahead.
inline constexpr std::size_t kAbrPast = 8, kAbrLater = 7;

// 1e12 bytes at a thousandth of 0.001 Mbps take 8e12 s. A start within a trace adds less than one
// round of it, and noise less than doubles that.
inline constexpr double kMaxDownloadS = 1e14;

/// The leaves, heads and metrics of abr.
struct PlayerLayout : Layout {
  using Layout::Layout;
  explicit PlayerLayout(const AbrConfig& c)
      : rates{static_cast<std::int64_t>(c.rates())}, past{kAbrPast} {}

  Axis rates, past;

  LeafOf<double> rate_mbps{observation,
                           "rate.mbps",
                           {.shape = {rates},
                            .high = kMaxRateKbps / 1000,
                            .unit = "Mbps",
                            .doc = "rate of each encoding, the lowest first"}};
  LeafOf<double> score{observation,
                       "rate.score",
                       {.shape = {rates},
                        .low = -kMaxScore,
                        .high = kMaxScore,
                        .doc = "its quality q(rate) in the reward"}};
  LeafOf<double> stall_penalty{
      observation,
      "qoe.stall_penalty",
      {.high = kMaxScore,
       .unit = "1/s",
       .doc = "what a second of stall costs; a change of quality costs |change of q|"}};

  LeafOf<double> buffer_s{observation,
                          "buffer.level_s",
                          {.high = 2e6, .unit = "s", .doc = "video that is there and not played"}};
  LeafOf<double> capacity_s{
      observation,
      "buffer.capacity_s",
      {.high = 1e6, .unit = "s", .doc = "with more than this the player waits"}};
  LeafOf<std::int32_t> last{observation,
                            "last.quality",
                            {.high = static_cast<double>(rates.size - 1),
                             .doc = "encoding of the chunk before, 0 the lowest rate"}};
  LeafOf<double> throughput_mbps{
      observation,
      "history.throughput_mbps",
      {.shape = {past},
       .high = kMaxChunkBytes,
       .unit = "Mbps",
       .doc = "size / download time of the last chunks, the newest last; 0 before the first"}};
  LeafOf<double> download_s{observation,
                            "history.download_s",
                            {.shape = {past},
                             .high = kMaxDownloadS,
                             .unit = "s",
                             .doc = "their download times, the round trip included"}};

  LeafOf<float> bytes{observation,
                      "chunk.bytes",
                      {.shape = {rates},
                       .high = kMaxChunkBytes,
                       .unit = "bytes",
                       .doc = "size of the next chunk in each encoding"}};
  LeafOf<float> later_bytes{observation,
                            "chunk.later_bytes",
                            {.shape = {kAbrLater, rates},
                             .high = kMaxChunkBytes,
                             .unit = "bytes",
                             .doc = "of the chunks that the video lists after it; they may be "
                                    "beyond the last one played"}};
  LeafOf<float> left{observation,
                     "chunk.left",
                     {.high = kMaxChunks,
                      .unit = "chunks",
                      .doc = "chunks to be fetched, the next one included; 0 in the final "
                             "observation of a whole video"}};
  LeafOf<double> chunk_s{
      observation, "chunk.duration_s", {.high = 1e4, .unit = "s", .doc = "video in a chunk"}};

  LeafOf<double> time_s{observation,
                        "info.time_s",
                        {.high = kMaxDownloadS * kMaxChunks,
                         .unit = "s",
                         .doc = "time since the request for the first chunk"}};
  LeafOf<std::int32_t> trace{observation,
                             "info.trace",
                             {.high = static_cast<double>(kMaxTraces),
                              .doc = "position of the trace among the sorted names, from 0"}};

  LeafOf<std::int32_t> quality{
      action,
      "quality",
      {.high = static_cast<double>(rates.size - 1),
       .doc = "encoding of the next chunk, 0 the lowest rate; every one is open"}};

  MetricOf qoe{
      metrics,
      "qoe",
      {.lower_is_better = false,
       .doc = "mean over the chunks after the first of q - penalty x stall - |change of q|; the "
              "first change is that of chunk 2 against chunk 1"}};
  MetricOf mean_quality{
      metrics, "quality", {.lower_is_better = false, .doc = "mean of q over the same chunks"}};
  MetricOf bitrate_mbps{
      metrics,
      "bitrate_mbps",
      {.unit = "Mbps", .lower_is_better = false, .doc = "mean rate of the same chunks"}};
  MetricOf stall_s{
      metrics,
      "stall_s",
      {.unit = "s", .doc = "time without video to play after the first chunk was there"}};
  MetricOf quality_change{
      metrics, "quality_change", {.doc = "mean of |change of q| over the same chunks"}};
  MetricOf switches{metrics, "switches", {.doc = "changes of the encoding"}};
  MetricOf startup_s{
      metrics,
      "startup_s",
      {.unit = "s", .doc = "download time of the first chunk; no part of qoe and stall_s"}};
  MetricOf chunks_done{metrics,
                       "chunks_done",
                       {.unit = "chunks",
                        .lower_is_better = false,
                        .doc = "chunks that were fetched, the first one included"}};
};

}  // namespace park::abr
