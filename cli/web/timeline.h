#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "park/core/env.h"
#include "park/core/events.h"

namespace park::cli {

/// Texts by number, in the order of their first use.
class Names {
 public:
  std::uint32_t operator()(std::string_view);
  [[nodiscard]] const std::vector<std::string>& all() const noexcept { return all_; }

 private:
  std::vector<std::string> all_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

/// Keeps what an environment reports of one episode, in columns.
class Timeline final : public EventSink {
 public:
  /// An argument of all events of a kind; NaN where an event has it not.
  struct Column {
    std::string name;
    std::vector<double> values;
  };
  struct Events {
    std::vector<std::uint32_t> lane, what;  ///< in lanes() and whats()
    std::vector<double> start_s, end_s;     ///< the same of points
    std::vector<Column> args;
  };
  struct Stage {
    std::vector<std::uint16_t> parents;
    std::vector<std::pair<std::string, double>> args;
  };
  struct Job {
    std::uint64_t number;
    std::string name;
    std::vector<Stage> stages;
  };
  struct Series {
    std::string lane, name;  ///< no lane: of the whole system
    std::vector<double> times_s, values;
  };
  /// What codes mean: argument, value, label.
  using Labels = std::map<std::string, std::map<double, std::string>>;

  void begin(const Episode&) override;
  void lane(std::string_view name) override { lanes_(name); }
  void job(std::uint64_t number, std::string_view name, std::span<const EventStage>) override;
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg>) override;
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg>) override;
  void value(std::string_view lane, std::string_view series, double time_s, double value) override;

  [[nodiscard]] const Episode& episode() const noexcept { return episode_; }
  /// The earliest time of spans and points; 0 without any. An episode's first decision is taken when
  /// something happens first.
  [[nodiscard]] double begin_s() const noexcept { return begin_s_.value_or(0); }
  /// The latest time of all events.
  [[nodiscard]] double end_s() const noexcept { return end_s_; }
  /// In the order of first mention.
  [[nodiscard]] const std::vector<std::string>& lanes() const noexcept { return lanes_.all(); }
  [[nodiscard]] const std::vector<std::string>& whats() const noexcept { return whats_.all(); }
  [[nodiscard]] const std::vector<Job>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] const Events& spans() const noexcept { return spans_; }
  [[nodiscard]] const Events& points() const noexcept { return points_; }
  [[nodiscard]] const std::vector<Series>& series() const noexcept { return series_; }
  [[nodiscard]] const Labels& labels() const noexcept { return labels_; }

 private:
  void add(Events&, std::string_view lane, double start_s, double end_s, std::string_view what,
           std::span<const EventArg>);

  Episode episode_;
  std::optional<double> begin_s_;
  double end_s_ = 0;
  Names lanes_, whats_;
  std::vector<Job> jobs_;
  Events spans_, points_;
  std::vector<Series> series_;
  std::map<std::pair<std::string, std::string>, std::size_t> series_numbers_;
  Labels labels_;
};

}  // namespace park::cli
