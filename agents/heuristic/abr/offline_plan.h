#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/env.h"
#include "park/envs/abr/model.h"

namespace park::heuristics {

/// The best qualities of a session whose bandwidth is known, as far as a search has found them.
struct OfflinePlan {
  std::vector<std::int32_t> qualities;  ///< of the chunks after the first
  double qoe = 0;                       ///< their mean QoE: what the environment will say
  /// No sequence of qualities has a larger mean QoE; qoe and bound enclose the optimum. Infinite
  /// where download times are noisy.
  double bound = 0;
};

/// Plans forward, chunk by chunk. A partial plan is a label: its last quality, the time, the stall
/// so far, and quality minus changes so far. Of two labels of a chunk with the same last quality,
/// one with no more time, no more stall and no less quality stays so whatever follows, so the other
/// one is dropped: a download that starts earlier does not end later, and the stall after a
/// download that ends at time t is the larger of the stall before and t - startup - video fetched
/// before.
///
/// At most `labels` are kept of each quality and chunk, those that can come to most by a bound of
/// what is left (FutureBound): a beam. A second search gives the bound: in it the player waits no
/// longer than it must, not in steps of 0.5 s, so that the argument above is exact, and what was
/// dropped for want of room counts with the most that it could have come to.
[[nodiscard]] OfflinePlan offline_plan(const envs::AbrModel&, const Episode&, std::size_t labels);

}  // namespace park::heuristics
