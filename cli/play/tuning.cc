#include "cli/play/tuning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "cli/frame/names.h"
#include "park/command/strings.h"
#include "park/core/error.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

constexpr double kMostValues = 10000;

constexpr int kAnyDecimals = 17;

/// Decimals of a number as written: 2 for "0.25".
int decimals_of(const std::string& text) {
  if (text.find_first_of("eE") != std::string::npos) return kAnyDecimals;
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string decimal_text(double value, int decimals) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  double rounded = 0;
  std::from_chars(buffer.data(), end, rounded);
  return number_text(rounded == 0 ? 0 : rounded);  // no "-0"
}

/// Asks for each assignment once and keeps the best.
class Memory {
 public:
  Memory(std::uint64_t budget, const Cost& cost) : budget_(budget), cost_(&cost) {}

  /// False: stopped, or the budget is spent.
  bool visit(const Assignment& assignment) {
    if (costs_.contains(assignment)) return true;
    if (costs_.size() >= budget_) return false;
    const std::optional<double> cost = (*cost_)(assignment);
    if (!cost) return false;
    const double known = std::isnan(*cost) ? std::numeric_limits<double>::infinity() : *cost;
    if (costs_.empty() || known < best_cost_) {
      best_ = assignment;
      best_cost_ = known;
    }
    costs_.emplace(assignment, known);
    return true;
  }
  [[nodiscard]] const Assignment& best() const noexcept { return best_; }
  [[nodiscard]] std::uint64_t evaluations() const noexcept { return costs_.size(); }

 private:
  std::uint64_t budget_;
  const Cost* cost_;
  std::map<Assignment, double> costs_;
  Assignment best_;
  double best_cost_ = 0;
};

bool visit_grid(const std::vector<GridField>& fields, Memory& memory) {
  std::vector<std::size_t> at(fields.size(), 0);
  for (;;) {
    Assignment assignment;
    for (std::size_t f = 0; f < fields.size(); ++f) assignment.push_back(fields[f].values[at[f]]);
    if (!memory.visit(assignment)) return false;
    std::size_t f = fields.size();
    while (f > 0 && ++at[f - 1] == fields[f - 1].values.size()) at[--f] = 0;
    if (f == 0) return true;
  }
}

bool descend(const std::vector<GridField>& fields, Memory& memory) {
  for (;;) {
    const Assignment before = memory.best();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      Assignment assignment = memory.best();
      for (const std::string& value : fields[f].values) {
        assignment[f] = value;
        if (!memory.visit(assignment)) return false;
      }
    }
    if (memory.best() == before) return true;
  }
}

}  // namespace

std::vector<std::string> grid_values(const std::string& grid) {
  const std::vector<std::string> parts = split(grid, ':');
  if (parts.size() != 3 || grid.find('|') != std::string::npos) return split(grid, '|');
  const auto low = number(parts[0]), high = number(parts[1]), step = number(parts[2]);
  if (!low || !high || !step || *step <= 0 || *high < *low)
    throw Error(Errc::syntax, "grid \"" + grid + "\": must be low:high:step or a|b|c");
  const double count = std::floor((*high - *low) / *step + 1e-9) + 1;
  if (count > kMostValues)
    throw Error(Errc::syntax, "grid \"" + grid + "\": must have at most 10000 values");
  const int decimals = std::max(decimals_of(parts[0]), decimals_of(parts[2]));
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < static_cast<int>(count); ++i)
    values.push_back(decimal_text(*low + i * *step, decimals));
  return values;
}

SearchPlan plan_search(const std::vector<GridField>& fields, std::uint64_t budget) {
  if (fields.size() < 2) return SearchPlan::grid;
  double size = 1;
  for (const GridField& field : fields) size *= static_cast<double>(field.values.size());
  return size + 1 <= static_cast<double>(budget) ? SearchPlan::grid
                                                 : SearchPlan::coordinate_descent;
}

SearchOutcome search(const std::vector<GridField>& fields, const Assignment& start, SearchPlan plan,
                     std::uint64_t budget, const Cost& cost) {
  Memory memory(budget, cost);
  bool finished = memory.visit(start);
  if (finished)
    finished = plan == SearchPlan::grid ? visit_grid(fields, memory) : descend(fields, memory);
  return {.best = memory.best(), .finished = finished, .evaluations = memory.evaluations()};
}

}  // namespace park::cli
