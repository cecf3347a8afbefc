#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/space.h"
#include "park/envs/switch_scheduling/arrival_process.h"
#include "park/envs/switch_scheduling/assignment.h"
#include "park/envs/switch_scheduling/config.h"
#include "park/envs/switch_scheduling/delay_figures.h"
#include "park/envs/switch_scheduling/layout.h"
#include "park/envs/switch_scheduling/timeline.h"
#include "park/envs/switch_scheduling/voq_features.h"
#include "park/envs/switch_scheduling/voqs.h"

namespace park::switch_scheduling {

/// Scheduling of an input-queued crossbar switch: in every slot, inputs and outputs are matched,
/// and each matched pair sends one cell.
///
/// Model: slot t lasts from t slot_s to (t + 1) slot_s. Cells arrive at its beginning; then the
/// matching is decided; matched VOQs send their oldest cell by its end. With action=pairs a
/// decision adds one pair, and the decisions of a slot take no time. The slot ends with the choice
/// `done`, or by itself where no pair can be added. Slots without a cell pass without a decision,
/// but for slot 0. Reward: minus the integral of the number of cells over time, in cells x slots.
/// If an episode is drained, its rewards sum to minus the sum of all delays. After `slots` slots
/// the episode terminates, with drain=true when the last cell is sent; at Episode::horizon_s it is
/// truncated. Episode::inputs seeds arrivals and rates; there is no other randomness.
///
/// Source: H. Mao et al., Park, NeurIPS 2019 (its environment has one action per permutation).
/// N. McKeown et al., "Achieving 100% throughput in an input-queued switch", IEEE Trans.
/// Communications 47(8), 1999, for the model.
class SwitchScheduling final : public Env, public Futures {
 public:
  using Config = SwitchSchedulingConfig;
  [[nodiscard]] static Spec spec(const Config&);

  /// REQUIRES a configuration that parse_config accepts.
  explicit SwitchScheduling(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// NaN for what an episode without duration does not define.
  void metrics(std::span<double>) const override;
  /// See SwitchTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Arrivals and cells sent.
  [[nodiscard]] std::uint64_t event_count() const noexcept override {
    return figures_.arrived() + figures_.sent();
  }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// Cells of the slots to come are drawn anew, and so are the rates of the phases to come. A burst
  /// is memoryless, so it may end at any slot.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  void begin_slot();
  void arrive();
  void add_pair(std::size_t voq);
  void take_weights(std::span<const float> weights);
  void complete_matching();
  Outcome end_slot(Row observation);
  bool pass_slot(Outcome&);
  void send();
  void observe(Row) const;
  void write_mask(Row) const;
  [[nodiscard]] const SwitchLayout& layout() const noexcept {
    return pairs_ ? static_cast<const SwitchLayout&>(*pairs_) : *weights_;
  }
  [[nodiscard]] bool arriving() const noexcept { return slot_ < slots_; }
  [[nodiscard]] bool may_idle() const noexcept { return idle_ && arriving(); }

  // Set once.
  std::size_t ports_;
  std::int64_t slots_;
  bool idle_, drain_;
  double slot_s_;
  std::optional<PairLayout> pairs_;  // one of the two
  std::optional<WeightLayout> weights_;

  // The state of the episode.
  ArrivalProcess arrivals_;
  double horizon_s_ = kInf, now_s_ = 0;
  std::int64_t slot_ = 0, drawn_ = 0;  // drawn_: slots whose arrivals are drawn
  Voqs voqs_;
  Crossbar crossbar_;
  VoqFeatures features_;
  DelayFigures figures_;

  Assignment assignment_;
  std::vector<float> matrix_;  // weights of the VOQs with a cell

  SwitchTimeline timeline_;
};

}  // namespace park::switch_scheduling
