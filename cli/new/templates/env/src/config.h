#pragma once

#include <park/core/config.h>

#include <cstdint>
#include <string>

namespace project::newenv {

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr std::int32_t kMostJobs = 100'000;
inline constexpr double kMostTimeS = 1e6;   ///< mean time between arrivals, mean size
inline constexpr double kLongestDraw = 40;  ///< exponential draws stay below so many means

/// The defaults: Poisson arrivals that keep the server busy for 80 % of the time.
struct SingleServerConfig {
  std::int32_t jobs = 200;
  double interval_s = 1.25;
  double size_s = 1;
  std::string sizes = "exponential";

  bool operator==(const SingleServerConfig&) const = default;

  /// Command line, help, checks and documentation come from this list.
  static void fields(auto& self, auto&& visit) {
    visit("jobs", self.jobs,
          park::FieldDoc{.doc = "jobs of an episode", .min = 1, .max = kMostJobs});
    visit("interval_s", self.interval_s,
          park::FieldDoc{.doc = "mean time between arrivals, which are Poisson",
                         .unit = "s",
                         .min = 1e-3,
                         .max = kMostTimeS});
    visit("size_s", self.size_s,
          park::FieldDoc{.doc = "mean size of a job: the time that the server needs for it",
                         .unit = "s",
                         .min = 1e-3,
                         .max = kMostTimeS});
    visit("sizes", self.sizes,
          park::FieldDoc{.doc = "distribution of the sizes", .choices = "exponential|constant"});
  }
};

}  // namespace project::newenv
