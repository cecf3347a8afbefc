#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace park {

struct Episode;

/// A figure of an event. A name that ends in `_s` is a time in seconds. Viewers know two names:
/// `job` is the number of a job of the episode, `stage` the index of a stage within that job.
struct EventArg {
  std::string_view name;
  double value;
  std::string_view label{};  ///< label of a value that is a code, such as the name of a wave
};

/// A part of a job that waits for other parts.
struct EventStage {
  std::span<const std::uint16_t> parents;  ///< indices within the job; the graph has no cycle
  std::span<const EventArg> args;          ///< such as its tasks and their mean duration
};

/// Receives what a timeline shows, while an environment steps. Times are seconds of the episode.
/// Views end with the call.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// A new episode: times start again.
  virtual void begin(const Episode&) = 0;
  /// Announces a lane, so that it exists even if nothing ever occupies it. Other lanes begin with
  /// their first event.
  virtual void lane(std::string_view name) = 0;
  /// Describes the stages of a job, once, before any event has its number as `job`. A job without
  /// stages need not be described.
  virtual void job(std::uint64_t number, std::string_view name,
                   std::span<const EventStage> stages) = 0;
  /// A span: an activity that occupied a lane ("executor 3") for a while. The spans of a lane come
  /// in the order of time and do not overlap. If some spans have the argument `job`, the others are
  /// overhead of their lane, such as moving.
  virtual void span(std::string_view lane, double start_s, double end_s, std::string_view what,
                    std::span<const EventArg> args) = 0;
  /// A point: an event at one time. Every arrival of the input process is a point "arrival". If
  /// jobs leave the system, each departure is a point "completion".
  virtual void point(std::string_view lane, double time_s, std::string_view what,
                     std::span<const EventArg> args) = 0;
  /// A value of a series, which holds until the next one. The series belongs to a lane or, if
  /// `lane` is empty, to the whole system. Its times never decrease.
  virtual void value(std::string_view lane, std::string_view series, double time_s,
                     double value) = 0;
};

}  // namespace park
