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
#include "park/envs/dl_inference/arrival_process.h"
#include "park/envs/dl_inference/choices_row.h"
#include "park/envs/dl_inference/config.h"
#include "park/envs/dl_inference/device.h"
#include "park/envs/dl_inference/layout.h"
#include "park/envs/dl_inference/timeline.h"
#include "park/sim/percentiles.h"

namespace park::dl_inference {

/// Batched inference: requests of several applications arrive at one device that serves a batch of
/// one application at a time and is not interrupted. A batch of k requests of application i takes
/// L_i(k) seconds.
///
/// Model: time 0 is the first arrival. A decision is asked whenever the device is free and requests
/// wait, after everything that happens at that instant. It chooses an application and how many of
/// its oldest requests become the batch, or to wait: until the next arrival, wait_max_s at most.
/// Reward: minus the integral of the sum over i of w_i n_i / L_i(1), where n_i requests of i are in
/// the system. A dropped request takes w_i drop_cost off the reward. If an episode ends by itself,
/// its rewards sum to minus the weighted sum of all slowdowns. It terminates when the requests of
/// duration_s are served or dropped; at Episode::horizon_s it is truncated. Episode::inputs seeds
/// the arrivals; there is no other randomness.
///
/// Source: Zhang et al., DyBatch, CCGRID 2020 (the problem: batches and fair shares of one device,
/// slowdowns). The decision, the reward and the arrivals are our own definition.
class DlInference final : public Env, public Futures {
 public:
  using Config = DlInferenceConfig;
  static constexpr const char* kName = kDlInferenceName;
  /// Throws what applications() throws.
  [[nodiscard]] static Spec spec(const Config&);
  /// The table and the trace.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config& c) {
    return c.files();
  }

  /// REQUIRES a configuration that parse_config accepts. Throws where its files are unusable.
  explicit DlInference(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode without a finished request does not define.
  void metrics(std::span<double>) const override;
  /// See InferenceTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Arrivals, and requests that left.
  [[nodiscard]] std::uint64_t event_count() const noexcept override;
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// The requests to come are drawn anew; a state of bursts continues.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  DlInference(const Config&, std::vector<Application>);

  void advance(double until_s);
  [[nodiscard]] bool decide();
  void wait();
  void serve(std::size_t app, std::size_t batch);
  [[nodiscard]] End settle();
  void drop_late();
  void observe(Row);
  Outcome outcome(End);

  // Set once.
  double wait_max_s_, dispatch_s_, drop_cost_, horizon_of_config_s_;
  bool drops_, endless_;
  InferenceLayout layout_;

  // The state of the episode.
  ArrivalProcess arrivals_;
  Device device_;
  double horizon_s_ = kInf, decided_s_ = 0;
  ChoicesRow row_;

  // The figures of the episode.
  sim::PercentileSearch search_;
  sim::Percentiles percentiles_{};

  InferenceTimeline timeline_;
};

}  // namespace park::dl_inference
