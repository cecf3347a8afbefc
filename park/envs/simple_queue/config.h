#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::simple_queue {

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr std::int32_t kMaxQueueServers = 4096;
inline constexpr double kMaxQueueJobs = 1e9;    ///< limit of an episode
inline constexpr double kMaxQueueTimeS = 1e9;   ///< mean time between arrivals, mean service time
inline constexpr double kMaxPriority = 1e6;     ///< reward of an admitted job
inline constexpr double kMaxWaitingCost = 1e6;  ///< per second of one job
inline constexpr double kMinFreeProbability = 1e-6;

/// The defaults are Park's simple_queue: five servers, one job at every step, five classes with the
/// rewards 1 .. 5, a busy server becomes free with probability 0.5 per step, nobody waits.
struct SimpleQueueConfig {
  std::int32_t servers = 5;
  std::vector<double> priorities{1, 2, 3, 4, 5};
  double jobs = 1000;
  std::string arrivals = "slotted";
  double interval_s = 1;
  std::string service = "geometric";
  double free_probability = 0.5;
  double service_mean_s = 2;
  double waiting_room = 0;
  std::string discipline = "fifo";
  double waiting_cost = 0;
  double horizon_s = kInf;

  bool operator==(const SimpleQueueConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("servers", c.servers,
          FieldDoc{.doc = "number of servers", .min = 1, .max = kMaxQueueServers});
    visit("priorities", c.priorities,
          FieldDoc{.doc = "classes of jobs, each as likely as the others: the reward for a job of "
                          "the class that is admitted",
                   .min = 0,
                   .max = kMaxPriority});
    visit("jobs", c.jobs,
          FieldDoc{.doc = "jobs of an episode, a whole number; inf: no last job, the episode ends "
                          "at its horizon",
                   .min = 1});
    visit("arrivals", c.arrivals,
          FieldDoc{.doc = "slotted: one job per interval_s, as in Park; poisson: memoryless gaps",
                   .choices = "slotted|poisson"});
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "time between slotted arrivals, mean time between Poisson ones",
                   .unit = "s",
                   .min = 1e-6,
                   .max = kMaxQueueTimeS});
    visit("service", c.service,
          FieldDoc{.doc = "distribution of the service time; geometric: a number of intervals, as "
                          "in Park",
                   .choices = "geometric|exponential|deterministic"});
    visit("free_probability", c.free_probability,
          FieldDoc{.doc = "geometric: probability that a busy server becomes free within an "
                          "interval_s",
                   .min = kMinFreeProbability,
                   .max = 1});
    visit("service_mean_s", c.service_mean_s,
          FieldDoc{.doc = "exponential, deterministic: mean service time",
                   .unit = "s",
                   .min = 1e-6,
                   .max = kMaxQueueTimeS});
    visit("waiting_room", c.waiting_room,
          FieldDoc{.doc = "admitted jobs that can wait while all servers are busy, a whole number "
                          "or inf; 0: a loss system, as in Park",
                   .min = 0});
    visit("discipline", c.discipline,
          FieldDoc{.doc = "who waits least: the first, or the highest priority (the first among "
                          "equals); services are not interrupted",
                   .choices = "fifo|priority"});
    visit("waiting_cost", c.waiting_cost,
          FieldDoc{.doc = "cost per second of each job that waits",
                   .unit = "1/s",
                   .min = 0,
                   .max = kMaxWaitingCost});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training; with jobs=inf also the "
                          "length of an episode that brings no horizon of its own",
                   .unit = "s",
                   .min = 1e-9});
  }

  /// The rules between fields.
  static void check(const SimpleQueueConfig&, Violations&);

  /// The mean service time, s.
  [[nodiscard]] double mean_service_s() const {
    return service == "geometric" ? interval_s / free_probability : service_mean_s;
  }
};

/// The access-control task of Sutton and Barto, Reinforcement Learning, 2nd edition, 2018, example
/// 10.2. Ten servers become free with probability 0.06, and customers pay 1, 2, 4 or 8.
inline constexpr const char* kAccessControl =
    "simple_queue(servers=10,priorities=[1,2,4,8],free_probability=0.06)";

}  // namespace park::simple_queue
