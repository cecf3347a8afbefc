#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/envs/abr/config.h"
#include "park/envs/abr/model.h"
#include "park/sim/timeline_switch.h"

namespace park::abr {

/// Tells an event sink what a timeline of abr shows. The lane "download" has a span for every
/// chunk, named by its rate, and "wait" while the buffer is full. The lane "playback" has "playing"
/// and "stall". The series "buffer (s)" has a value each second and at every change of its slope.
/// Other series are "bitrate (Mbps)" of the fetched chunk, "bandwidth (Mbps)" of the trace, and
/// "running mean of QoE" over the chunks after the first. The input process is the trace, so its
/// one arrival is the beginning of the session. Without a sink it is false, and nothing may be
/// reported.
class AbrTimeline : public sim::TimelineSwitch {
 public:
  explicit AbrTimeline(const AbrConfig&);

  /// A new episode. Spans end at the horizon at the latest.
  void begin(const Link&, std::size_t trace, const LinkPosition&, double horizon_s);
  /// A request from that session was answered, and the player waited.
  void fetched(const AbrSession& before, const AbrFetch&, double wait_s, std::size_t quality,
               double mean_qoe);
  /// The horizon comes so long after a request, before it is answered.
  void cut(const AbrSession& before, double elapsed_s);

 private:
  void play(const AbrSession&, double elapsed_s);
  void bandwidth(LinkPosition from, double start_s, double elapsed_s);

  double rtt_s_, chunk_s_;
  std::vector<double> mbps_;
  std::vector<std::string> names_;  // of the rates
  const Link* link_ = nullptr;
  double horizon_s_ = 0;
  std::size_t chunk_ = 0;
};

}  // namespace park::abr
