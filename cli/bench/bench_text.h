#pragma once

#include <string>

#include "park/bench/bench_results.h"

namespace park::cli {

/// For people: two tables per environment, one of the reported metrics, one of the scores beside
/// what is better than the best baseline in percent. The scores over all environments and the
/// failures follow.
[[nodiscard]] std::string bench_text(const bench::BenchResults&, std::size_t width);

}  // namespace park::cli
