#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "park/core/events.h"
#include "park/plugin.h"

namespace park::plugins {

/// A sink of Park in the form that a plug-in calls. What the sink throws is kept until the plug-in
/// has returned.
class SinkCalls {
 public:
  explicit SinkCalls(EventSink& to);
  SinkCalls(const SinkCalls&) = delete;
  SinkCalls& operator=(const SinkCalls&) = delete;

  [[nodiscard]] const ParkSink* table() const noexcept { return &table_; }
  void rethrow() {
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  }

 private:
  template <class F>
  static void guarded(void* self, F&& f) noexcept;
  static void lane(void*, const char* name);
  static void job(void*, std::uint64_t number, const char* name, const ParkEventStage* const*,
                  std::uint64_t count);
  static void span(void*, const char* lane, double start_s, double end_s, const char* what,
                   const ParkEventArg* const*, std::uint64_t count);
  static void point(void*, const char* lane, double time_s, const char* what,
                    const ParkEventArg* const*, std::uint64_t count);
  static void value(void*, const char* lane, const char* series, double time_s, double value);
  void add(const ParkEventArg* const*, std::uint64_t count);

  EventSink* to_;
  ParkSink table_{};
  std::exception_ptr failed_;
  std::vector<EventArg> args_;      // of the event that is passed on
  std::vector<EventStage> stages_;  // likewise
};

}  // namespace park::plugins
