#pragma once

#include <cstdint>
#include <string_view>

#include "park/core/rng.h"
#include "park/envs/device_placement/graph.h"

namespace park::device_placement {

/// Families of generated graphs.
enum class Family : std::uint8_t {
  branches,     ///< blocks of parallel chains that join, as in Inception
  recurrences,  ///< layers unrolled over time, with parameters that all steps of a layer share
  layered       ///< random layers; each operation takes one to three inputs from earlier ones
};

/// Writes a graph of about that many operations; it follows from the generator alone. Times are
/// log-uniform in 10 us to 500 us, tensors in 50 kB to 4 MB, parameters in 0.1 MB to 20 MB.
void generate(Family, std::int32_t nodes, const Rng&, Graph&);

/// The family of a name; `random` draws one.
[[nodiscard]] Family family_of(std::string_view name, Rng);

}  // namespace park::device_placement
