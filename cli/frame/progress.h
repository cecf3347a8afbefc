#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/frame/console.h"

namespace park::cli {

/// Seconds of a clock that never goes back.
[[nodiscard]] double monotonic_s();

/// Shows how far a job is, at LogLevel::info: a bar with rate and time left on a terminal, else a
/// plain line now and then. Removes the bar when it ends.
class Progress {
 public:
  using Now = std::function<double()>;

  /// `unit` is in the plural, such as "episodes". `step` is what the rate counts, such as
  /// "decisions". `total` is 0 where nobody knows it; then there is no bar and no time left.
  Progress(Console&, std::string unit, std::uint64_t total, std::string step,
           Now now = monotonic_s);
  ~Progress() { console_->status(""); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being worked on now, such as the policy.
  void set_label(std::string label) { label_ = std::move(label); }
  /// Units that were done before and say nothing about the rate.
  void skip(std::uint64_t units) { skipped_ += units; }
  /// Cheap enough for every round: nothing is drawn more often than people can read.
  void advance(std::uint64_t units, std::uint64_t steps);

 private:
  [[nodiscard]] std::string line(double elapsed_s) const;
  [[nodiscard]] std::string bar() const;

  Console* console_;
  std::string unit_, step_, label_;
  std::uint64_t total_, skipped_ = 0, done_ = 0, steps_ = 0;  // done_: without the skipped
  Now now_;
  double begin_s_, next_s_;
};

}  // namespace park::cli
