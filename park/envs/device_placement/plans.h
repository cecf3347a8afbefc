// Whole placements by rules. Each function writes a device for every operation of the graph that the
// simulator has loaded. All keep to the memory of the devices: where none has enough, the one
// with the most left is taken. Policies (policies.h) compute one at the first decision of an episode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/device_placement/memory_use.h"
#include "park/envs/device_placement/simulator.h"

namespace park::device_placement {

using Placement = std::vector<std::int32_t>;

/// Everything on the fastest device.
void place_single(const Simulator&, Placement&);
/// The topological order in as many pieces as devices, with work in proportion to speed.
void place_by_work(const Simulator&, Placement&);
/// The same, with bytes in proportion to memory.
void place_by_memory(const Simulator&, Placement&);
/// Heterogeneous earliest finish time: operations by upward rank, each on the device where it ends
/// first, in a gap if one is long enough. Transfers take latency + bytes / bandwidth and never wait.
/// Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002.
void place_heft(const Simulator&, Placement&);
/// The same, but a link carries one tensor at a time, and each tensor once to a device. Devices run
/// what was placed on them in the order of placing.
void place_heft_contention(const Simulator&, Placement&);
/// Earliest task first with the limits of memory: the ready operation and
/// the device with enough memory that begin first. Hwang et al., SIAM J. Comput. 18(2), 1989; m-ETF of Baechi (Jeon et al.,
/// SoCC 2020).
void place_etf(const Simulator&, Placement&);

/// Whether libmetis is there. It is loaded when it is asked for.
[[nodiscard]] bool has_metis();
/// A partition of the graph with little traffic and with work in proportion to speed, by METIS
/// (Karypis, Kumar, SIAM J. Sci. Comput. 20(1), 1998). REQUIRES has_metis.
void place_metis(const Simulator&, Placement&);

/// The seconds of a step, and what an overrun of memory adds (step_penalty_s).
[[nodiscard]] double placed_s(Simulator&, MemoryUse&, const Placement&);
/// Operations beyond the memory of devices are paged: their bytes cross the slowest link of the
/// cluster twice in a step.
[[nodiscard]] double step_penalty_s(const Cluster&, double overrun_bytes);

/// The best of all rules above but METIS, which need not be there.
void place_best(Simulator&, MemoryUse&, Placement&);

struct AnnealingBudget {
  std::uint64_t simulations = 0;
  double first_temperature = 0.005, last_temperature = 0.0001;  ///< in units of the first time
};
/// Simulated annealing from the best of all rules. Single operations and connected pieces of the
/// graph move to the device of a neighbour or to any. Keeps the best that it meets. Kirkpatrick,
/// Gelatt, Vecchi, Science 220, 1983.
void place_annealed(Simulator&, MemoryUse&, const AnnealingBudget&, Rng, Placement&);

}  // namespace park::device_placement
