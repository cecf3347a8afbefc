// Two policies that plan ahead, and the search that both use. A LookaheadPlan says from where, how
// far and at what throughput; Lookahead holds the chunks of the decision in progress. A policy
// predicts the throughput for each row that asks, and RobustMpc keeps the last predictions of every
// slot. The registry makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/abr/layout.h"
#include "park/envs/abr/policies.h"

namespace park::abr {

/// The result of the next requests at a constant throughput.
struct LookaheadPlan {
  std::size_t horizon = 0;       ///< chunks that are planned, at least 1
  std::size_t first = 0;         ///< row of the sizes that is taken for the next chunk
  double mbps = 0;               ///< above 0
  bool one_level_jumps = false;  ///< each chunk at most one level from the one before
};

/// Finds the first choice of the best sequence of qualities, as model predictive control does. The
/// best sequence has the largest sum of quality - stall_penalty * stall - |change of quality| over
/// the horizon. A chunk takes size / throughput. The result is that of trying all sequences in
/// order and keeping the last of the best. Sequences that cannot be among the best are skipped.
/// After 10^8 tries, which takes some 14 rates over 7 chunks, it is the best one so far.
///
/// Many sequences are equally good: to raise the last chunk gains what the change costs. Rounding
/// decides which one is found, so the order of the sums is part of the definition. Quality, stall
/// and change are each added up in the order of the chunks, and then combined.
class Lookahead {
 public:
  explicit Lookahead(const PlayerLayout& l) : layout_(l), rates_(l.rate_mbps.width) {}

  /// REQUIRES plan.first + plan.horizon <= 1 + the chunks that the observation looks ahead.
  [[nodiscard]] std::int32_t best(ConstRow, const LookaheadPlan&);

 private:
  struct State {
    double quality = 0, stall_s = 0, change = 0;  // sums
    double buffer_s;
    std::size_t last;
  };
  void read(ConstRow, const LookaheadPlan&);
  void search(const State&, std::size_t depth);
  [[nodiscard]] State after(const State&, std::size_t depth, std::size_t quality) const noexcept;
  /// The sums put together, with something more for the quality.
  [[nodiscard]] double value(const State& s, double more) const noexcept {
    return s.quality + more - stall_penalty_ * s.stall_s - s.change;
  }

  PlayerLayout layout_;
  std::size_t rates_;
  // State of the decision in progress.
  LookaheadPlan plan_;
  std::vector<double> download_s_;  // [horizon, rates]
  std::vector<double> score_;       // [rates]
  double stall_penalty_ = 0, chunk_s_ = 0;
  double best_value_ = 0, highest_ = 0;  // the latter of a chunk
  std::size_t choice_ = 0, first_ = 0, tried_ = 0;
};

struct MpcConfig {
  std::int32_t horizon = 5, past = 5;
  bool index_one_ahead = false, one_level_jumps = false;

  bool operator==(const MpcConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("horizon", c.horizon,
          FieldDoc{.doc = "chunks that are planned, fewer at the end of the video",
                   .unit = "chunks",
                   .min = 1,
                   .max = 7,
                   .tune = "1:7:1"});
    visit("past", c.past,
          FieldDoc{.doc = "chunks whose throughput counts",
                   .unit = "chunks",
                   .min = 1,
                   .max = 8,
                   .tune = "1:8:1"});
    visit("index_one_ahead", c.index_one_ahead,
          FieldDoc{.doc = "plans with the sizes of the chunks one later, as the code published "
                          "with Pensieve does"});
    visit("one_level_jumps", c.one_level_jumps,
          FieldDoc{.doc = "plans only sequences that change by at most one level per chunk, as "
                          "the baseline published with Genet does"});
  }
};

/// Model predictive control: plans the next chunks for the environment's quality of experience and
/// takes the first choice of the plan. The predicted throughput is the harmonic mean of the last
/// ones. Source: X. Yin, A. Jindal, V. Sekar, B. Sinopoli, "A control-theoretic approach for
/// dynamic adaptive video streaming over HTTP", SIGCOMM 2015, section 4.
class Mpc final : public RowPolicy {
 public:
  using Config = MpcConfig;
  [[nodiscard]] static PolicyInfo info();
  Mpc(const Config& c, const Spec& spec)
      : layout_(bind_layout<PlayerLayout>(spec)), config_(c), lookahead_(layout_) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  PlayerLayout layout_;
  Config config_;
  Lookahead lookahead_;
};

struct RobustMpcConfig {
  MpcConfig mpc{};
  std::int32_t errors = 5;
  bool errors_leak = false;

  bool operator==(const RobustMpcConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    MpcConfig::fields(c.mpc, visit);
    visit("errors", c.errors,
          FieldDoc{.doc = "predictions whose largest error counts",
                   .unit = "chunks",
                   .min = 1,
                   .max = 1000,
                   .tune = "1:8:1"});
    visit("errors_leak", c.errors_leak,
          FieldDoc{.doc = "a video begins with the errors of the one before, as in the code "
                          "published with Pensieve; episodes are then played one by one"});
  }
};

/// MPC with a lower bound as prediction: the harmonic mean divided by 1 + the largest relative
/// error of the last predictions. Source: Yin et al., SIGCOMM 2015, section 4.3.
class RobustMpc final : public RowPolicy {
 public:
  using Config = RobustMpcConfig;
  [[nodiscard]] static PolicyInfo info();
  RobustMpc(const Config& c, const Spec& spec)
      : layout_(bind_layout<PlayerLayout>(spec)), config_(c), lookahead_(layout_) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] std::uint32_t most_slots() const noexcept override {
    return config_.errors_leak ? 1 : Policy::most_slots();
  }

 private:
  struct Slot {
    std::vector<double> errors;  // of the last predictions, a ring
    std::size_t seen = 0;
    double predicted_mbps = 0;  // 0: nothing yet
  };
  void choose(const Ask&, ConstRow observation, Row action) override;
  /// Takes down how wrong the last prediction was; returns the next one.
  double predict(Slot&, ConstRow) const;

  PlayerLayout layout_;
  Config config_;
  Lookahead lookahead_;
  std::vector<Slot> slots_;
};

}  // namespace park::abr
