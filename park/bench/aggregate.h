#pragma once

#include <span>
#include <vector>

namespace park::bench {

/// Values by stratum, such as the scores of a policy by environment. Each stratum is ascending.
/// Strata weigh alike; a value therefore weighs less in a larger one.
using Strata = std::vector<std::vector<double>>;

/// Sorted copies. A stratum with an undefined value makes every statistic undefined.
[[nodiscard]] Strata sorted_strata(Strata);

/// The mean of the means of the strata.
[[nodiscard]] double mean_of(const Strata&);
/// Median of the means of the strata, as rliable's aggregate median.
[[nodiscard]] double median_of_means(const Strata&);
/// The mean of the middle half of all values: those that lie wholly in the lowest or the highest
/// quarter of the weight are cut. With strata of equal size these are a quarter of the values,
/// rounded down, at each end.
/// Agarwal et al., Deep Reinforcement Learning at the Edge of the Statistical Precipice, 2021.
[[nodiscard]] double interquartile_mean(const Strata&);
/// 1 - the mean of min(value, 1): how far from the best heuristic, where nothing above it counts.
[[nodiscard]] double optimality_gap(const Strata&);

/// The share of the values above each limit, as rliable's profile of the distribution of scores:
/// the mean over the strata.
[[nodiscard]] std::vector<double> profile(const Strata&, std::span<const double> limits);

}  // namespace park::bench
