#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace park::cli {

/// A field and the values to try.
struct GridField {
  std::string name;
  std::vector<std::string> values;
  double min = -std::numeric_limits<double>::infinity();  ///< least value that the field allows
  double max = std::numeric_limits<double>::infinity();   ///< largest value that it allows
};

/// The values of a grid text: "low:high:step" (both ends included, in decimal, so that 0.1 + 0.2
/// is 0.3) or "a|b|c". Throws Error{syntax}.
[[nodiscard]] std::vector<std::string> grid_values(const std::string& grid);

/// One value per field.
using Assignment = std::vector<std::string>;

/// The cost of an assignment, lower is better; not a number: worse than any; nothing: stop.
using Cost = std::function<std::optional<double>(const Assignment&)>;

enum class SearchMethod { grid, descent };

/// The assignments of the whole grid; infinity where they cannot be counted.
[[nodiscard]] double grid_size(const std::vector<GridField>&);

/// The whole grid where it fits into the budget with the start, else coordinate descent.
[[nodiscard]] SearchMethod method_for(const std::vector<GridField>&, std::uint64_t budget);

/// How to search.
struct SearchPlan {
  SearchMethod method = SearchMethod::grid;
  std::uint64_t budget = 200;  ///< assignments at most, the start included
  std::uint64_t starts = 0;    ///< descents at most; 0: as many as the budget allows
  std::uint64_t seed = 1;      ///< where descents after the first one start
};

struct SearchOutcome {
  Assignment best;           ///< the first of equals
  bool finished = false;     ///< the whole grid was tried, or a descent ended by itself
  std::uint64_t starts = 0;  ///< descents that ended by themselves
  std::uint64_t evaluations = 0;
};

/// Looks for the lowest cost; asks for no assignment twice, for the start first, and for at most
/// `budget` of them. Coordinate descent tries all values of one field after the other and moves to
/// the best. It ends after a round of all fields that lowered nothing. Fields that act together
/// hold it up before the lowest cost, so it starts again from random assignments that were not
/// tried.
[[nodiscard]] SearchOutcome search(const std::vector<GridField>&, const Assignment& start,
                                   const SearchPlan&, const Cost&);

/// The fields whose value in `best` is an end of their grid, although the field itself allows
/// values beyond it. A wider grid may hold a better value. Fields whose values are no numbers have
/// no end.
[[nodiscard]] std::vector<std::string> fields_on_border(const std::vector<GridField>&,
                                                        const Assignment& best);

}  // namespace park::cli
