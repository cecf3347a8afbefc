#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/envs/region_assignment/config.h"

namespace park::region_assignment {

/// How prices are learned.
struct LearningOptions {
  std::int32_t days = 4;          ///< episodes that are solved in hindsight
  std::uint64_t seed = 1;         ///< of these episodes
  std::int32_t iterations = 200;  ///< steps of the search for each
};

/// Prices of capacity from other days: shadow prices of the regions, hour by hour.
///
/// Method: an episode that is known to its end is a linear program. It gives each account to
/// regions in parts, or rejects it, at the least cost. The program has a capacity row per region
/// and hour here, for the mean weight present in that hour. Prices of these rows maximise the
/// Lagrangian dual. Each account goes where its cost plus the price of its hours is least. The
/// price of a row rises with the excess over its capacity. Projected subgradients with steps like 1
/// / sqrt(n) find the prices. The mean of the second half of the prices counts, and then the mean
/// over days. Permanent accounts have one row per region for the whole episode.
///
/// Source: bid prices of network revenue management, E. Williamson, Airline Network Seat Inventory
/// Control, MIT 1992; K. Talluri, G. van Ryzin, Management Science 44(11), 1998; for online
/// packing S. Agrawal, Z. Wang, Y. Ye, Operations Research 62(4), 2014, which learns dual prices of
/// a sample.
class LearnedPrices {
 public:
  /// REQUIRES a configuration that parse_config accepts.
  LearnedPrices(const RegionConfig&, const LearningOptions&);

  /// Price of a unit of weight in each region, for an account that is there from that time on.
  /// Its lifetime is not known, only the mean; capacity is worth nothing after `ends_s`. [regions]
  void expected(double time_s, double ends_s, std::vector<double>& prices) const;

 private:
  /// The hour of the table for an hour of an episode; days after the table repeat its last one.
  [[nodiscard]] std::size_t hour_of(double hour) const noexcept;

  std::size_t regions_, hours_ = 1;
  bool permanent_;
  double lifetime_s_;
  std::vector<double> table_;  // [hours][regions], per unit of weight that is present for the hour
};

}  // namespace park::region_assignment
