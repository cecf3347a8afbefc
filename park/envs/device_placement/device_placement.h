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
#include "park/envs/device_placement/config.h"
#include "park/envs/device_placement/layout.h"
#include "park/envs/device_placement/memory_use.h"
#include "park/envs/device_placement/simulator.h"
#include "park/envs/device_placement/timeline.h"

namespace park::device_placement {

/// Runs a step of a placed graph, in place of the simulator: what a running twin has.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  /// Seconds of the step, in the unit of Graph::work_s. The operations are ranked by the simulator,
  /// which has loaded the graph. May throw Error{unavailable}.
  virtual double step_s(const Simulator&, std::span<const std::int32_t> device) = 0;
};

/// Device placement: which device runs each operation of a neural network, so that a step takes the
/// shortest time.
///
/// Model: mode=constructive asks for the device of each operation, in topological order, at time 0;
/// then one step is run. Its reward is minus the time of the step, in units of the time on the
/// fastest device alone. mode=improve begins with a whole placement. Each decision is about one
/// operation, in topological order, and a step is run after it. The reward is the time that this
/// step is shorter than the step before, in the same unit: positive where it became faster. The
/// rewards of an episode add up to the gain from first to last. Simulator defines the time of a
/// step. step_penalty_s adds to it where no device had enough memory.
///
/// Episode::inputs seeds the graph, the noise of its costs and the cluster; Episode::dynamics the
/// placement of start=random. An episode terminates after its last decision. Steps take their time:
/// at Episode::horizon_s it is truncated, and a step that is under way tells nothing.
///
/// Sources: Mirhoseini et al., Device Placement Optimization with Reinforcement Learning, ICML 2017;
/// Mao et al., Park, NeurIPS 2019; improve: Addanki et al., Placeto, NeurIPS 2019.
class DevicePlacement final : public Env, public Futures {
 public:
  using Config = DevicePlacementConfig;
  static constexpr const char* kName = kDevicePlacementName;
  [[nodiscard]] static Spec spec(const Config&);
  /// The graph.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config&);

  /// REQUIRES a configuration that parse_config accepts. Throws where its graph is unusable: also
  /// Error{invalid_config} where an operation fits no device.
  explicit DevicePlacement(const Config&, std::shared_ptr<StepRunner> runner = nullptr);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode that was cut before its first step does not define.
  void metrics(std::span<double>) const override;
  /// See PlacementTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Operations and transfers of all steps.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return simulator_.events(); }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// All is known after the first row, so there is one future.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t) const override {
    return clone();
  }

 private:
  void draw_graph(const Rng& inputs);
  void draw_cluster(const Rng& inputs);
  void prepare();
  void place_start(const Rng& dynamics);
  void ask();
  void put(std::size_t node, std::size_t device);
  void take(std::size_t node);
  [[nodiscard]] double measured_s();
  /// Runs a step. Its time is in step_s_ unless the horizon comes first.
  Outcome run();
  void observe(Row) const;
  void observe_devices(Row) const;
  [[nodiscard]] std::size_t decisions() const noexcept {
    return graph_.size() * (improves_ ? static_cast<std::size_t>(config_.passes) : 1);
  }

  // Set once.
  Config config_;
  bool improves_;
  PlacementLayout layout_;
  std::shared_ptr<const Graph> file_;   // as it is placed; null where graphs are generated
  std::shared_ptr<StepRunner> runner_;  // null: steps are simulated

  // What an episode draws, fixed then.
  Graph graph_;
  Cluster cluster_;
  Simulator simulator_;
  double horizon_s_ = kInf, single_s_ = 1, bound_s_ = 0;
  std::vector<std::int32_t> depth_, height_;
  std::vector<std::uint32_t> first_input_, inputs_;  // edges to each operation
  std::vector<double> scratch_;

  // Its state.
  MemoryUse memory_;
  std::vector<std::int32_t> device_;
  std::vector<std::uint8_t> placed_;
  std::vector<double> load_s_;
  std::size_t decision_ = 0;
  double now_s_ = 0, step_s_ = 0, best_s_ = kInf;
  bool ran_ = false;

  PlacementTimeline timeline_;
};

/// The graph of a file as the configuration places it: fused, and with its backward pass.
[[nodiscard]] Graph prepared_graph(const DevicePlacementConfig&);

}  // namespace park::device_placement
