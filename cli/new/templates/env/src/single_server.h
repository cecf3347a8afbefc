#pragma once

#include <park/core/env.h>

#include <cstdint>
#include <span>
#include <vector>

#include "config.h"
#include "layout.h"

namespace project::newenv {

/// One server and a queue of jobs with known sizes. Each time the server is free and jobs wait, one
/// of them is chosen; its service is not interrupted.
///
/// Model: time 0 is the arrival of the first job. The reward of a decision is minus the job-seconds
/// in the system until the next one. So the sum over an episode is minus the sum of all response
/// times (Little's law). The episode terminates when the last job has left; at Episode::horizon_s
/// it is truncated.
///
/// Source: M/G/1 with known sizes. L. Schrage, "A proof of the optimality of the shortest remaining
/// processing time discipline", Operations Research 16(3), 1968; T. Phipps, "Machine repair as a
/// priority waiting-line problem", Operations Research 4(1), 1956, is the rule without interruption.
class SingleServer final : public park::Env {
 public:
  using Config = SingleServerConfig;
  [[nodiscard]] static park::Spec spec(const Config&);

  explicit SingleServer(const Config&);

  void reset(const park::Episode&, park::Row observation) override;
  park::Outcome step(park::ConstRow action, park::Row observation) override;
  /// NaN for what an episode that was cut off does not define.
  void metrics(std::span<double>) const override;
  void events(park::EventSink* sink) override { events_ = sink; }
  /// Arrivals and completions.
  [[nodiscard]] std::uint64_t event_count() const noexcept override;

 private:
  struct Job {
    std::int32_t number;
    double arrived_s, size_s;
  };

  park::End serve(const Job&);
  void draw_next_arrival();
  void arrive();
  void pass_until(double time_s);
  void report(const Job&, double start_s, bool complete) const;
  void observe(park::Row) const;

  // Set once.
  Config config_;
  SingleServerLayout layout_;
  park::EventSink* events_ = nullptr;

  // The state of the episode.
  park::Rng inputs_;
  double horizon_s_ = 0, now_s_ = 0;
  std::vector<Job> waiting_;  // in the order of arrival
  Job next_{};                // the job that arrives next
  std::int32_t arrived_ = 0;
  bool busy_ = false;

  // The figures of the episode.
  double job_seconds_ = 0, busy_s_ = 0, wait_sum_s_ = 0, response_sum_s_ = 0;
  std::int32_t started_ = 0, served_ = 0;
};

}  // namespace project::newenv
