#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agents/heuristic/abr/player_view.h"

namespace park::heuristics {

/// What the next requests would bring at a constant throughput.
struct LookaheadPlan {
  std::size_t horizon = 0;       ///< chunks that are planned, at least 1
  std::size_t first = 0;         ///< row of the sizes that is taken for the next chunk
  double mbps = 0;               ///< above 0
  bool one_level_jumps = false;  ///< each chunk at most one level from the one before
};

/// Finds the first choice of the best sequence of qualities, as model predictive control does: the
/// sum of quality - stall_penalty * stall - |change of quality| over the horizon, where a chunk
/// takes size / throughput. The result is that of trying all sequences in order and keeping the
/// last of the best; those that cannot be among them are left out.
///
/// Many sequences are equally good: to raise the last chunk gains what the change costs. Which one
/// is found is a matter of rounding, so the order of the sums is a part of the definition: quality,
/// stall and change are each added up in the order of the chunks, and then put together.
class Lookahead {
 public:
  explicit Lookahead(const PlayerView& view) : view_(view) {}

  /// REQUIRES plan.first + plan.horizon <= view.ahead.
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

  PlayerView view_;
  // Of the decision in progress.
  LookaheadPlan plan_;
  std::vector<double> download_s_;  // [horizon, rates]
  std::vector<double> score_;       // [rates]
  double stall_penalty_ = 0, chunk_s_ = 0;
  double best_value_ = 0, highest_ = 0;  // the latter of a chunk
  std::size_t choice_ = 0, first_ = 0;
};

}  // namespace park::heuristics
