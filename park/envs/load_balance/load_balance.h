#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/space.h"
#include "park/envs/load_balance/arrival_process.h"
#include "park/envs/load_balance/config.h"
#include "park/envs/load_balance/layout.h"
#include "park/envs/load_balance/servers.h"
#include "park/envs/load_balance/timeline.h"
#include "park/sim/response_log.h"

namespace park::load_balance {

/// Dispatching: jobs arrive one by one, and each is sent at once to one of n servers of different
/// speed. There it waits for the jobs before it (FIFO, not interrupted) and is served for size /
/// rate seconds.
///
/// Model: time 0 is the arrival of the first job; a decision is asked at every arrival, after every
/// completion up to that time. Reward: minus the integral of the number of jobs in the system since
/// the decision before. If an episode ends by itself, its rewards sum to minus the sum of all
/// response times. The episode terminates with the last completion; at Episode::horizon_s it is
/// truncated. Episode::inputs seeds gaps and sizes; there is no other randomness.
///
/// Source: H. Mao et al., Park, NeurIPS 2019, and "Variance Reduction for Reinforcement Learning in
/// Input-Driven Environments", ICLR 2019, sections 3 and 6.2. Unlike Park's code, work and time are
/// not added up in one observation, service times are not cut to whole seconds, and nothing is
/// clipped.
class LoadBalance final : public Env, public Futures {
 public:
  using Config = LoadBalanceConfig;
  [[nodiscard]] static Spec spec(const Config&);
  /// The recording.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config&);

  /// REQUIRES a configuration that parse_config accepts. Throws where its recording is unusable.
  explicit LoadBalance(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode without a finished job, or without duration, does not define.
  void metrics(std::span<double>) const override;
  /// See QueueTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Arrivals and completions.
  [[nodiscard]] std::uint64_t event_count() const noexcept override {
    return arrived_ + servers_.completed();
  }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// The jobs after the one that asks are drawn anew; a recording that begins at a random place
  /// continues at another one.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;
  /// See SizeDeclarations.
  [[nodiscard]] std::unique_ptr<Declarations> declarations() const override;

 private:
  void accept(const Job&);
  void assign(std::size_t server);
  Outcome advance(double until_s);
  Outcome finish(Row observation);
  void observe(Row) const;

  // Set once.
  double jobs_, horizon_of_config_s_, interval_s_;
  double fastest_, capacity_;  // the largest and the sum of the rates
  ServersLayout layout_;

  // The state of the episode.
  ArrivalProcess arrivals_;
  double horizon_s_ = kInf, now_s_ = 0;
  Job asking_{};  // the job that asks; its gap is the time since the last arrival
  std::uint64_t arrived_ = 0;
  Servers servers_;

  // The figures of the episode.
  sim::ResponseLog responses_;
  sim::Percentiles percentiles_{};
  double integral_ = 0;                       // job-seconds in the system
  double slowdowns_ = 0, assigned_work_ = 0;  // sums over jobs

  QueueTimeline timeline_;
};

}  // namespace park::load_balance
