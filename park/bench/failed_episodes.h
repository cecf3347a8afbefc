#pragma once

#include <cstdint>
#include <vector>

#include "park/bench/bench_results.h"

namespace park::bench {

/// The episodes of the suite that an entry failed in and has no row of, in ascending order.
[[nodiscard]] std::vector<std::uint64_t> failed_episodes(const BenchResults&, std::size_t entry);

/// The results as figures count them. A failed episode has a row, whose metrics are the worst that
/// any policy has in any episode of that environment. So failing never improves a figure. `failed`
/// names these rows. Without failures the results are what they were.
[[nodiscard]] BenchResults with_failures(BenchResults);

}  // namespace park::bench
