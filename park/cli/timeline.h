#pragma once

#include <string>
#include <utility>
#include <vector>

#include "park/core/env.h"
#include "park/core/events.h"

namespace park::cli {

constexpr int kTimelineVersion = 1;

/// Keeps what an environment reports of one episode.
class Timeline final : public EventSink {
 public:
  using Args = std::vector<std::pair<std::string, double>>;
  struct Span {
    std::string lane, what;
    double start_s, end_s;
    Args args;
  };
  struct Point {
    std::string lane, what;
    double time_s;
    Args args;
  };
  struct Series {
    std::string name;
    std::vector<double> times_s, values;
  };

  void begin(const Episode&) override;
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg>) override;
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg>) override;
  void value(std::string_view series, double time_s, double value) override;

  [[nodiscard]] const Episode& episode() const noexcept { return episode_; }
  [[nodiscard]] const std::vector<Span>& spans() const noexcept { return spans_; }
  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }
  [[nodiscard]] const std::vector<Series>& series() const noexcept { return series_; }

 private:
  Episode episode_;
  std::vector<Span> spans_;
  std::vector<Point> points_;
  std::vector<Series> series_;
};

/// The timeline of one policy.
struct PolicyTimeline {
  std::string policy;
  Timeline timeline;
};

/// The text of a timeline file; times are seconds of the episode:
///     {"schema": "park.timeline", "version": 1, "env": TEXT, "seed": S, "timelines": [
///       {"policy": TEXT, "episode": 0,
///        "spans":  [{"lane": L, "what": W, "start_s": A, "end_s": B, "args": {NAME: X}}, ...],
///        "points": [{"lane": L, "what": W, "time_s": T, "args": {NAME: X}}, ...],
///        "series": [{"name": N, "time_s": [...], "value": [...]}, ...]}, ...]}
[[nodiscard]] std::string timeline_file(const std::string& env, std::uint64_t seed,
                                        const std::vector<PolicyTimeline>&);

}  // namespace park::cli
