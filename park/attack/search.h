#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "park/attack/objective.h"

namespace park::attack {

/// Where a search may go.
struct SearchSpace {
  double epsilon = 0.2;               ///< factors are in [low(), high()]
  std::vector<std::uint8_t> allowed;  ///< [quantities] 1: may change

  [[nodiscard]] double low() const noexcept { return std::max(1 - epsilon, kLeastFactor); }
  [[nodiscard]] double high() const noexcept { return 1 + epsilon; }
};

/// The slope of an objective by central differences, one for each factor of a declaration. The
/// differences go half of epsilon to either side, less where that leaves the space. The slope is 0
/// for factors that may not change.
[[nodiscard]] std::vector<double> slopes(Objective&, const Misreport& at, const SearchSpace&);

/// Greedy search: from `start`, factors move to the end of the space that their slope points to.
/// The steepest factors move first, and as many of them as makes the objective largest. The search
/// is repeated from there until nothing rises, three times at most. Rows are a few hundred, so one
/// step costs a few thousand rows.
[[nodiscard]] Misreport greedy_search(Objective&, Misreport start, const SearchSpace&);

/// The declarations that an attacker tries, each once. Greedy searches give some: over all
/// quantities, and over those of the longest chain alone. Each of the two begins from the truth and
/// from all of its quantities understated. The starting points are tried too, and the declaration
/// that overstates all.
[[nodiscard]] std::vector<Misreport> candidates_of(Objective&, std::uint64_t job,
                                                   const std::vector<std::uint8_t>& critical,
                                                   double epsilon);

/// The null: each factor uniform in the space of epsilon.
[[nodiscard]] Misreport random_misreport(std::uint64_t job, std::size_t quantities, double epsilon,
                                         Rng&);

}  // namespace park::attack
