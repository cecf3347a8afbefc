#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "park/sim/timeline_switch.h"

namespace park::load_balance {

/// Reports to an event sink what a timeline of load_balance shows. The service of every job is a
/// span on the lane of its server, "server 0" and so on. The lane has the series "jobs at server".
/// Points "arrival" and "completion" are on the lane "arrivals". The series are "jobs in system"
/// and "running mean of response time (s)", the mean over the jobs completed by then. Without a
/// sink it is false, and nothing may be reported. A sink is set between episodes.
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
