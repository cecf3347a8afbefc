#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/env.h"
#include "park/core/registry.h"

namespace park::judge {

/// Which inputs a candidate plays. Train and validation follow from the judge's seed; hidden ones
/// are drawn anew for every judgement, after the candidate was read.
enum class Set : std::uint8_t { train, validation, hidden };
[[nodiscard]] const char* to_text(Set) noexcept;

/// So many episodes, with the ids 0, 1, ...
[[nodiscard]] std::vector<Episode> draw_inputs(Set, std::uint64_t seed, std::uint64_t count);

/// A seed that nobody can foretell, from the system.
[[nodiscard]] std::uint64_t fresh_seed();

/// What the inputs are, as 64 hexadecimal digits: SHA-256 of the environment's text, its data files,
/// the seeds, and the first row of every input. Throws as the environment.
[[nodiscard]] std::string digest_of(const EnvOfText&, const std::vector<Episode>&);

}  // namespace park::judge
