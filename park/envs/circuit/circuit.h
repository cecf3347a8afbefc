#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/rng.h"
#include "park/core/space.h"
#include "park/envs/circuit/config.h"
#include "park/envs/circuit/layout.h"
#include "park/envs/circuit/simulator.h"
#include "park/envs/circuit/timeline.h"

namespace park::circuit {

/// What is required of a design; 0: nothing.
using Requirements = std::array<double, kFigures>;

/// The score of a design, as the leaf `score` says. `figures` are those of a simulation that did not
/// fail.
[[nodiscard]] double score_of(const Topology&, const Requirements&, const Figures& figures);
/// Whether every requirement is met.
[[nodiscard]] bool meets(const Topology&, const Requirements&, const Figures& figures);

/// Sizing of an analog circuit: an episode has a specification and conditions, and every decision
/// changes the sizes and simulates the circuit in ngspice.
///
/// Reward: the score of the design minus that of the one before. So rewards add up to the score of
/// the last design minus that of the first. The episode terminates when its simulations are used up
/// or, with `stop`, when a design meets the specification. A simulation counts as 1 s.
/// Episode::inputs seeds specification and conditions; there is no other randomness.
///
/// Source: circuit_design of Park (Mao et al., NeurIPS 2019), with the episode of AutoCkt (Settaluri
/// et al., DATE 2020, section II). In that episode the specification is drawn, and sizes change in
/// steps.
class Circuit final : public Env {
 public:
  using Config = CircuitConfig;
  static constexpr const char* kName = kCircuitName;
  /// Throws Error{unavailable} where ngspice cannot be used.
  [[nodiscard]] static Spec spec(const Config&);
  /// The model cards.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config&);

  explicit Circuit(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Simulations.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return used_; }

 private:
  struct Design {
    Positions at{};
    Simulated result{};
    double score = kFailureScore;
    bool met = false;
  };
  struct Wire {
    std::int32_t from, to, net;
  };

  void draw_conditions(const Rng& inputs);
  void draw_requirements(const Rng& inputs);
  void relax(const Figures&, const Rng& inputs);
  [[nodiscard]] Positions start() const;
  void move(ConstRow action);
  /// Simulates the current design and compares it with the best one.
  void simulate();
  /// Simulates the best design under nominal conditions.
  void finish();
  void observe(Row) const;
  void observe_figures(Row) const;
  void observe_devices(Row) const;
  void add_wires();

  // Set once.
  Config config_;
  const Topology& topology_;
  std::optional<StepLayout> steps_;
  std::optional<AbsoluteLayout> places_;
  const SizingLayout& layout_;
  std::vector<Wire> wires_;

  // The state of the episode.
  Simulator simulator_;
  Conditions conditions_;
  Requirements requirements_{};
  Design now_, best_;
  Positions origin_{};                            // of the grid
  std::array<std::int32_t, kParameters> grid_{};  // steps from there
  double horizon_s_ = kInf, time_s_ = 0;
  std::int32_t left_ = 0;
  std::uint64_t used_ = 0, failures_ = 0;
  std::optional<std::uint64_t> met_after_;
  Simulated nominal_;

  SizingTimeline timeline_;
};

}  // namespace park::circuit
