#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "park/bench/aggregate.h"
#include "park/bench/summary.h"

namespace park::bench {

/// A figure of strata, each of them ascending.
using Statistic = std::function<double(const Strata&)>;

struct BootstrapOptions {
  std::uint32_t replicates = 2000;
  double level = 0.95;
  std::uint64_t seed = 1;  ///< the same values and seed give the same intervals
};

/// Percentile intervals by the stratified bootstrap (Efron and Tibshirani, An Introduction to the
/// Bootstrap, 1993, chapter 13). Each replicate draws from each stratum as many values as it has.
/// One interval per statistic; undefined where there is no stratum or one has less than two values.
[[nodiscard]] std::vector<Interval> bootstrap(const Strata&, const std::vector<Statistic>&,
                                              const BootstrapOptions& = {});

}  // namespace park::bench
