#pragma once

#include <string>

#include "park/bench/bench_results.h"

namespace park::cli {

/// For people: a table per environment with the reported metrics, the scores and what it is to the
/// best baseline; then the scores over all environments, and what failed.
[[nodiscard]] std::string bench_text(const bench::BenchResults&, std::size_t width);

}  // namespace park::cli
