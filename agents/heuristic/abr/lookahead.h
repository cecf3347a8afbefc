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
/// takes size / throughput. Among equal sums the sequence with the higher qualities first. The
/// result is that of trying all sequences; those that cannot be the best are left out.
class Lookahead {
 public:
  explicit Lookahead(const PlayerView& view) : view_(view) {}

  /// REQUIRES plan.first + plan.horizon <= view.ahead.
  [[nodiscard]] std::int32_t best(ConstRow, const LookaheadPlan&);

 private:
  struct State {
    double value, buffer_s;
    std::size_t last;
  };
  void read(ConstRow, const LookaheadPlan&);
  void search(const State&, std::size_t depth);
  [[nodiscard]] State after(const State&, std::size_t depth, std::size_t quality) const noexcept;

  const PlayerView& view_;
  // Of the decision in progress.
  LookaheadPlan plan_;
  std::vector<double> download_s_;  // [horizon, rates]
  std::vector<double> score_;       // [rates]
  double stall_penalty_ = 0, chunk_s_ = 0;
  double best_value_ = 0, highest_ = 0;  // of a chunk
  std::size_t choice_ = 0, first_ = 0;
};

}  // namespace park::heuristics
