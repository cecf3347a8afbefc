#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "park/sim/timeline_switch.h"

namespace park::load_balance {

/// Tells an event sink what a timeline of load_balance shows: a span on the lanes "server 0" .. for
/// the service of every job, the series "jobs at server" of each of these lanes, points "arrival"
/// and "completion" on the lane "arrivals", and the series "jobs in system" and "running mean of
/// response time (s)", the mean over the jobs that are completed by then. Without a sink it is
/// false, and nothing may be reported. A sink is set between episodes.
class QueueTimeline : public sim::TimelineSwitch {
 public:
  explicit QueueTimeline(std::size_t servers);

  /// A new episode; announces the lanes. Spans end at the horizon at the latest.
  void begin(double horizon_s);
  void arrival(double time_s, std::uint64_t job, double size) const;

  struct Service {
    std::uint64_t job;  ///< its number in the episode
    double size, arrived_s, start_s, done_s;
  };
  /// A job joins the queue of a server; it is known when it will be served.
  void service(std::size_t server, const Service&);
  /// Reports the completions up to this time.
  void advance(double until_s);

 private:
  struct Pending {
    double done_s, arrived_s;
    std::uint64_t job;
    std::size_t server;
    [[nodiscard]] bool operator>(const Pending& other) const noexcept {
      return done_s != other.done_s ? done_s > other.done_s : job > other.job;
    }
  };
  void completed(const Pending&);
  void queues(std::size_t server, double time_s) const;

  std::vector<std::string> lanes_;
  double horizon_s_ = 0;
  std::priority_queue<Pending, std::vector<Pending>, std::greater<>> pending_;
  std::vector<std::uint64_t> at_server_;  // jobs
  std::uint64_t in_system_ = 0, completed_ = 0;
  double response_sum_s_ = 0;
};

}  // namespace park::load_balance
