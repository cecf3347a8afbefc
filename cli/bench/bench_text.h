#pragma once

#include <string>

#include "park/bench/bench_results.h"

namespace park::cli {

/// For people: a table per environment with the reported metrics, the scores and the ratio to the
/// best baseline. The scores over all environments and the failures follow.
[[nodiscard]] std::string bench_text(const bench::BenchResults&, std::size_t width);

}  // namespace park::cli
