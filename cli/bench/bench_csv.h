#pragma once

#include <string>

#include "park/bench/bench_results.h"

namespace park::cli {

/// Every figure of every episode: "env,policy,seed,episode,metric,unit,value". Decisions and events
/// are figures too.
[[nodiscard]] std::string bench_csv(const bench::BenchResults&);

/// Every figure over episodes: "env,policy,against,metric,unit,figure,value,interval,low,high". The
/// figures are those of results.json; `against` is a comparison's other policy, and scores over all
/// environments have no environment. Failed episodes count as the worst.
[[nodiscard]] std::string bench_summary_csv(const bench::BenchResults&);

}  // namespace park::cli
