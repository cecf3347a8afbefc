#include "park/envs/abr/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "park/core/text.h"
#include "park/envs/abr/link.h"

namespace park::abr {
namespace {

constexpr double kSampleS = 1;  // of the buffer
constexpr int kMostChanges =
    1000;  // of the bandwidth during a chunk; a shorter trace repeats itself

}  // namespace

AbrTimeline::AbrTimeline(const AbrConfig& c) : rtt_s_(c.rtt_s), chunk_s_(c.chunk_s) {
  for (const double kbps : c.rates_kbps) {
    mbps_.push_back(kbps / 1000);
    names_.push_back(number_text(kbps) + " kbps");
  }
}

void AbrTimeline::begin(const Link& link, std::size_t trace, const LinkPosition& start,
                        double horizon_s) {
  link_ = &link;
  horizon_s_ = horizon_s;
  chunk_ = 0;
  sink().lane("download");
  sink().lane("playback");
  const std::array<EventArg, 2> args{
      {{"trace", static_cast<double>(trace)}, {"start", static_cast<double>(start.interval)}}};
  sink().point("video", 0, "arrival", args);
}

void AbrTimeline::fetched(const AbrSession& before, const AbrFetch& f, double wait_s,
                          std::size_t quality, double mean_qoe) {
  const double start_s = before.time_s, end_s = start_s + f.download_s;
  const std::array<EventArg, 4> args{
      {{"chunk", static_cast<double>(chunk_++)},
       {"bytes", f.bytes},
       {"throughput_mbps", f.bytes / kBytesPerMegabit / f.download_s},
       {"stall_s", f.stall_s}}};
  sink().value("", "bitrate (Mbps)", start_s, mbps_[quality]);
  sink().span("download", start_s, end_s, names_[quality], args);
  const double waited_s = std::clamp(horizon_s_ - end_s, 0.0, wait_s);
  if (waited_s > 0) sink().span("download", end_s, end_s + waited_s, "wait", {});
  bandwidth(before.link, start_s, f.download_s + waited_s);
  play(before, f.download_s);
  const double level_s = std::max(before.buffer_s - f.download_s, 0.0) + chunk_s_;
  sink().value("", "buffer (s)", end_s, level_s);
  if (std::isfinite(mean_qoe)) sink().value("", "running mean of QoE", end_s, mean_qoe);
  if (waited_s > 0) play({.link = {}, .time_s = end_s, .buffer_s = level_s}, waited_s);
}

void AbrTimeline::cut(const AbrSession& before, double elapsed_s) {
  const std::array<EventArg, 1> args{{{"chunk", static_cast<double>(chunk_)}}};
  if (elapsed_s <= 0) return;
  sink().span("download", before.time_s, before.time_s + elapsed_s, "unfinished", args);
  bandwidth(before.link, before.time_s, elapsed_s);
  play(before, elapsed_s);
}

/// What the viewer sees for a while without news from the network.
void AbrTimeline::play(const AbrSession& s, double elapsed_s) {
  const double playing_s = std::min(s.buffer_s, elapsed_s);
  const double empty_s = s.time_s + playing_s, end_s = s.time_s + elapsed_s;
  if (playing_s > 0) sink().span("playback", s.time_s, empty_s, "playing", {});
  if (end_s > empty_s) sink().span("playback", empty_s, end_s, "stall", {});
  for (double at_s = 0; at_s < playing_s; at_s += kSampleS)
    sink().value("", "buffer (s)", s.time_s + at_s, s.buffer_s - at_s);
  sink().value("", "buffer (s)", empty_s, s.buffer_s - playing_s);
}

/// The trace stands still during the round trip.
void AbrTimeline::bandwidth(LinkPosition at, double start_s, double elapsed_s) {
  sink().value("", "bandwidth (Mbps)", start_s, link_->mbps(at.interval));
  const double end_s = start_s + elapsed_s;
  double now_s = start_s + rtt_s_ + link_->left_s(at);
  for (int n = 0; now_s < end_s && n < kMostChanges; now_s += link_->left_s(at), ++n) {
    link_->next(at);
    sink().value("", "bandwidth (Mbps)", now_s, link_->mbps(at.interval));
  }
}

}  // namespace park::abr
