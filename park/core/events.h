#pragma once

#include <span>
#include <string_view>

namespace park {

struct Episode;

struct EventArg {
  std::string_view name;
  double value;
};

/// Receives what a timeline shows, while an environment steps. Times are seconds of the episode.
/// Views end with the call.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// A new episode: times start again.
  virtual void begin(const Episode&) = 0;
  /// Something that occupied a lane ("executor 3") for a while.
  virtual void span(std::string_view lane, double start_s, double end_s, std::string_view what,
                    std::span<const EventArg> args) = 0;
  /// Something that happened at one time. Every arrival of the input process is a point "arrival".
  virtual void point(std::string_view lane, double time_s, std::string_view what,
                     std::span<const EventArg> args) = 0;
  /// A series that keeps its value until the next one.
  virtual void value(std::string_view series, double time_s, double value) = 0;
};

}  // namespace park
