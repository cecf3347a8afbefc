#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "park/core/json_writer.h"

namespace park::spark {

/// What an agent has done since it began, for people who run it: sums for Prometheus, and lines of
/// JSON where a file was named. Thread-safe.
class AgentStatus {
 public:
  /// Lines are appended to `log`; empty: none are. Throws Error{io} if it cannot be written.
  explicit AgentStatus(const std::string& log = "");

  /// An application has begun; its number, from 1.
  std::uint64_t begun(std::string_view id, std::string_view name, std::string_view spark);
  /// It has ended; `lost`: silently.
  void ended(std::uint64_t number, bool lost);
  /// A question was answered.
  void answered(double seconds, bool declined);
  /// What a driver tells of itself since its last message.
  struct Told {
    std::uint64_t fallbacks = 0, rejected = 0, jobs = 0, failed_jobs = 0;
  };
  void told(std::uint64_t number, const Told&);

  /// The text of Prometheus's exposition format, version 0.0.4.
  [[nodiscard]] std::string metrics() const;

 private:
  /// Upper ends in seconds; a last bucket has the rest.
  static constexpr std::array<double, 10> kBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                      0.025,  0.05,  0.1,    0.25,  1};
  /// REQUIRES the lock. `rest` adds members.
  void write_line(std::string_view event, std::uint64_t number,
                  const std::function<void(JsonWriter&)>& rest);

  mutable std::mutex mutex_;
  std::ofstream log_;
  std::uint64_t begun_ = 0, ended_ = 0, lost_ = 0, declined_ = 0;
  Told told_;
  std::array<std::uint64_t, kBuckets.size() + 1> answers_{};
  double answer_s_ = 0;
};

}  // namespace park::spark
