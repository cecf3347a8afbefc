#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/space.h"
#include "park/envs/simple_queue/config.h"
#include "park/envs/simple_queue/job_source.h"
#include "park/envs/simple_queue/layout.h"
#include "park/envs/simple_queue/service_system.h"
#include "park/envs/simple_queue/timeline.h"
#include "park/sim/response_log.h"

namespace park::simple_queue {

/// Admission control of a queue: jobs of several classes arrive one by one at c equal servers, and
/// each is admitted or refused at once. An admitted job pays its class's reward; servers that are
/// busy with jobs that pay little are missing when one comes that pays much.
///
/// Model: time 0 is the arrival of the first job. A decision is asked at every arrival, after every
/// service that ended up to that time. Reward of a decision: the priority of the job's class if the
/// admitted job found a free server or a place to wait, else 0. The waiting cost is subtracted:
/// waiting_cost times the job-seconds of waiting until the next decision. Take slotted arrivals and
/// geometric service. A job that is admitted at step t holds its server until step t + k with the
/// probability (1 - p)^(k-1) p. This is Park's rule: every busy server becomes free with the
/// probability p at each step. The episode terminates when the last job has left; at
/// Episode::horizon_s it is truncated. Episode::inputs seeds gaps and classes, Episode::dynamics
/// the service times.
///
/// Source: H. Mao et al., Park, NeurIPS 2019 (its environment simple_queue, after R. Sutton and
/// A. Barto, Reinforcement Learning, 2nd edition, 2018, example 10.2); B. Miller, "A queueing
/// reward system with several customer classes", Management Science 16(3), 1969, is the same with
/// Poisson arrivals and exponential service. Unlike in Park's code, episodes end, the observation
/// tells both busy and free servers, and jobs may wait.
class SimpleQueue final : public Env, public Futures {
 public:
  using Config = SimpleQueueConfig;
  [[nodiscard]] static Spec spec(const Config&);

  /// REQUIRES a configuration that parse_config accepts.
  explicit SimpleQueue(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode without a served job, or without duration, does not define.
  void metrics(std::span<double>) const override;
  /// See AdmissionTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Arrivals and completions.
  [[nodiscard]] std::uint64_t event_count() const noexcept override {
    return arrived_ + responses_.count();
  }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// The jobs to come and every service that has not begun are drawn anew.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  void accept(const QueueJob&);
  /// Returns the reward of the decision.
  double decide(bool admit);
  Outcome finish(double reward, Row observation);
  /// Moves time on; returns the outcome with that reward less the cost of waiting.
  Outcome advance(double until, double reward);
  void pass(double until) noexcept;
  void complete();
  void cut_services();
  void observe(Row) const;

  // Set once.
  SimpleQueueConfig config_;
  QueueLayout layout_;

  // The state of the episode. Times are in intervals.
  JobSource source_;
  ServiceSystem system_;
  double horizon_ = kInf, now_ = 0;
  QueueJob asking_{};  // the job that asks; its gap is the time since the last arrival
  bool asked_ = false;
  std::uint64_t arrived_ = 0;

  // The figures of the episode.
  sim::ResponseLog waits_, responses_;  // s
  sim::Percentiles wait_percentiles_{};
  double waiting_integral_ = 0, busy_integral_ = 0;  // job-intervals
  double rewards_ = 0;
  std::uint64_t admitted_ = 0, lost_ = 0;

  AdmissionTimeline timeline_;
};

}  // namespace park::simple_queue
