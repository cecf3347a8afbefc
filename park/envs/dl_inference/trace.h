#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace park::dl_inference {

/// Arrivals of a file: CSV with the first line `time_s` or `time_s,app`. Every other line is the
/// arrival of a request. It has the time in seconds (0 to 1e12, never decreasing) and the number of
/// the application, from 0. There are at least two arrivals, and not all are at one time.
/// Immutable.
class ArrivalTrace {
 public:
  static constexpr std::size_t kMost = 100'000'000;

  /// Files that are open already, and have not changed, are shared within the process. Throws
  /// Error{io} if the file cannot be read and Error{bad_file} with one line per violation.
  [[nodiscard]] static std::shared_ptr<const ArrivalTrace> open(const std::string& path);
  /// Reads the text of such a file; `name` stands for it in messages.
  [[nodiscard]] static ArrivalTrace parse(const std::string& text, const std::string& name);

  [[nodiscard]] std::span<const double> times_s() const noexcept { return times_s_; }
  /// As many as times, or none.
  [[nodiscard]] std::span<const std::uint8_t> apps() const noexcept { return apps_; }
  /// From the first arrival to the last and on by the mean gap: then the first one comes again.
  [[nodiscard]] double period_s() const noexcept;
  /// Throws Error{bad_file} with the line of the first application beyond so many.
  void check_apps(std::size_t apps) const;

 private:
  std::string name_;
  std::vector<double> times_s_;
  std::vector<std::uint8_t> apps_;
};

}  // namespace park::dl_inference
