#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace park::cli {

/// A field and the values to try.
struct GridField {
  std::string name;
  std::vector<std::string> values;
};

/// The values of a grid text: "low:high:step" (both ends included, in decimal, so that 0.1 + 0.2
/// is 0.3) or "a|b|c". Throws Error{syntax}.
[[nodiscard]] std::vector<std::string> grid_values(const std::string& grid);

/// One value per field.
using Assignment = std::vector<std::string>;

/// The cost of an assignment, lower is better; not a number: worse than any; nothing: stop.
using Cost = std::function<std::optional<double>(const Assignment&)>;

enum class SearchPlan { grid, coordinate_descent };

/// The whole grid where it fits into the budget with the start, else coordinate descent.
[[nodiscard]] SearchPlan plan_search(const std::vector<GridField>&, std::uint64_t budget);

struct SearchOutcome {
  Assignment best;        ///< the first of equals
  bool finished = false;  ///< neither stopped nor out of budget
  std::uint64_t evaluations = 0;
};

/// Looks for the lowest cost; asks for no assignment twice, for the start first, and for at most
/// `budget` of them. Coordinate descent tries all values of one field after the other, moves to the
/// best, and ends after a round of all fields that brought nothing.
[[nodiscard]] SearchOutcome search(const std::vector<GridField>&, const Assignment& start,
                                   SearchPlan, std::uint64_t budget, const Cost&);

}  // namespace park::cli
