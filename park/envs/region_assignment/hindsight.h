#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/env.h"
#include "park/envs/region_assignment/account_source.h"
#include "park/envs/region_assignment/config.h"

namespace park::region_assignment {

/// The inputs of an episode, all known.
struct KnownEpisode {
  std::vector<Account> accounts;
  double capacity = 0;  ///< of all regions
};

/// REQUIRES a configuration that parse_config accepts.
[[nodiscard]] KnownEpisode known_episode(const RegionConfig&, std::uint64_t inputs);

/// The inputs as CSV with one account per line. Its checksum says whether the generator still draws
/// the episode that a bound was computed for.
[[nodiscard]] std::string inputs_text(const KnownEpisode&);

/// The linear program of an episode in hindsight, in free MPS (minimisation). The optimum is a
/// lower bound on `total_cost` of every policy where migrations = 0. Column x<i>_<k> is the part of
/// account i in region k, and x<i>_r the part that is rejected; all are at most 1. Row a<i> says
/// that the parts of account i add up to 1. Row c<i>_<k> says that the weight present in region k
/// right after arrival i is at most its capacity. An instant after which nobody leaves before the
/// next arrival has no row: the next instant has all of its accounts. With whole numbers in place
/// of parts it is the assignment problem itself, if `reject` is always.
[[nodiscard]] std::string hindsight_mps(const RegionConfig&, const KnownEpisode&);

}  // namespace park::region_assignment
