#pragma once

#include "park/core/events.h"

namespace park::sim {

/// What the timeline of an environment derives from: it reports to a sink, if there is one.
/// Without a sink it is false, and nothing may be reported, so that a simulation without a timeline
/// pays one test of a pointer. A sink is set between episodes.
class TimelineSwitch {
 public:
  void set(EventSink* sink) noexcept { sink_ = sink; }
  explicit operator bool() const noexcept { return sink_ != nullptr; }

 protected:
  [[nodiscard]] EventSink& sink() const noexcept { return *sink_; }

 private:
  EventSink* sink_ = nullptr;
};

}  // namespace park::sim
