#pragma once

#include "park/envs/region_assignment/config.h"
#include "park/envs/region_assignment/layout.h"

namespace park::region_assignment {

/// What the generator draws, exact but for the rounding of weights. Means are those over accounts;
/// homes and round trips are means over a whole day.
struct GeneratorStatistics {
  double weight_mean = 0, weight_deviation = 0;
  double largest_share = 0;  ///< of the total weight that the heaviest 10 % have
  double home_share_mean = 0.5, home_share_deviation = 0;
  double spread_mean = 0;
  double peak_activity = 0;         ///< rate of a site at its peak / its mean over the day
  double nearest_round_trip_s = 0;  ///< of a home to the region nearest to it
  double random_round_trip_s = 0;   ///< of an account to a region drawn uniformly
  double present_mean = 0;          ///< accounts, if none is rejected; 0: they are permanent
};

[[nodiscard]] GeneratorStatistics generator_statistics(const RegionConfig&);
/// The statistics as ends of the texts of leaves, which `park describe` prints.
[[nodiscard]] RegionLayout::Drawn statistics_texts(const RegionConfig&);

}  // namespace park::region_assignment
