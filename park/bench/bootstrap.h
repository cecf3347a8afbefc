#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "park/bench/aggregate.h"
#include "park/bench/summary.h"
#include "park/core/rng.h"

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

/// Draws from as many things as there are counts, as often, with replacement: how often each came.
void draw_counts(Rng&, std::span<std::uint32_t> counts);

/// The percentile interval of a figure's replicates. One that is undefined may lie anywhere, so it
/// widens the interval at both ends; undefined where an end is.
[[nodiscard]] Interval percentile_interval(std::span<const double> replicates, double level);

}  // namespace park::bench
