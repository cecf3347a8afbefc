// The search of `park tune`. Memory asks for the cost of each assignment once, as far as the budget
// goes, and keeps the best. visit_grid and descend_often propose assignments to it.
#include "cli/play/tuning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "cli/frame/names.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/core/error.h"
#include "park/core/rng.h"
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
  const auto value = whole_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
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
  [[nodiscard]] bool knows(const Assignment& assignment) const {
    return costs_.contains(assignment);
  }
  /// REQUIRES knows.
  [[nodiscard]] double cost(const Assignment& assignment) const { return costs_.at(assignment); }
  [[nodiscard]] std::uint64_t evaluations() const noexcept { return costs_.size(); }

 private:
  std::uint64_t budget_;
  const Cost* cost_;
  std::map<Assignment, double> costs_;
  Assignment best_;
  double best_cost_ = 0;
};

Assignment assignment_at(const std::vector<GridField>& fields, const std::vector<std::size_t>& at) {
  Assignment assignment;
  for (std::size_t f = 0; f < fields.size(); ++f) assignment.push_back(fields[f].values[at[f]]);
  return assignment;
}

/// Goes to the next assignment of the grid, the last field first; false: that is the first one again.
bool step(const std::vector<GridField>& fields, std::vector<std::size_t>& at) {
  std::size_t f = fields.size();
  while (f > 0 && ++at[f - 1] == fields[f - 1].values.size()) at[--f] = 0;
  return f > 0;
}

bool visit_grid(const std::vector<GridField>& fields, Memory& memory) {
  std::vector<std::size_t> at(fields.size(), 0);
  do {
    if (!memory.visit(assignment_at(fields, at))) return false;
  } while (step(fields, at));
  return true;
}

/// One descent. False: stopped, or the budget is spent.
bool descend(const std::vector<GridField>& fields, const Assignment& start, Memory& memory) {
  Assignment now = start;
  if (!memory.visit(now)) return false;
  for (;;) {
    const Assignment before = now;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      Assignment tried = now;
      for (const std::string& value : fields[f].values) {
        tried[f] = value;
        if (!memory.visit(tried)) return false;
        if (memory.cost(tried) < memory.cost(now)) now = tried;
      }
    }
    if (now == before) return true;
  }
}

/// An assignment of the grid that was not tried; nothing where all were.
std::optional<Assignment> untried(const std::vector<GridField>& fields, const Memory& memory,
                                  Rng& rng) {
  std::vector<std::size_t> at;
  for (const GridField& field : fields) at.push_back(rng.below(field.values.size()));
  for (const std::vector<std::size_t> first = at;;) {
    Assignment assignment = assignment_at(fields, at);
    if (!memory.knows(assignment)) return assignment;
    step(fields, at);
    if (at == first) return std::nullopt;
  }
}

/// Descents from the start, then from random assignments; returns how many ended by themselves.
std::uint64_t descend_often(const std::vector<GridField>& fields, const Assignment& start,
                            const SearchPlan& plan, Memory& memory) {
  Rng rng = Rng(plan.seed).split("starts");
  std::optional<Assignment> from = start;
  std::uint64_t ended = 0;
  while (from && descend(fields, *from, memory)) {
    ++ended;
    if (ended == plan.starts || memory.evaluations() >= plan.budget) break;
    from = untried(fields, memory, rng);
  }
  return ended;
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

double grid_size(const std::vector<GridField>& fields) {
  double size = 1;
  for (const GridField& field : fields) size *= static_cast<double>(field.values.size());
  return size;
}

SearchMethod method_for(const std::vector<GridField>& fields, std::uint64_t budget) {
  const bool fits = fields.size() < 2 || grid_size(fields) + 1 <= static_cast<double>(budget);
  return fits ? SearchMethod::grid : SearchMethod::descent;
}

SearchOutcome search(const std::vector<GridField>& fields, const Assignment& start,
                     const SearchPlan& plan, const Cost& cost) {
  Memory memory(plan.budget, cost);
  SearchOutcome outcome;
  if (plan.method == SearchMethod::descent) {
    outcome.starts = descend_often(fields, start, plan, memory);
    outcome.finished = outcome.starts > 0;
  } else {
    outcome.finished = memory.visit(start) && visit_grid(fields, memory);
  }
  outcome.best = memory.best();
  outcome.evaluations = memory.evaluations();
  return outcome;
}

std::vector<std::string> fields_on_border(const std::vector<GridField>& fields,
                                          const Assignment& best) {
  std::vector<std::string> found;
  for (std::size_t f = 0; f < fields.size() && f < best.size(); ++f) {
    const std::optional<double> value = number(best[f]);
    const auto outside = [&](const auto& beyond) {
      return std::ranges::none_of(fields[f].values, [&](const std::string& text) {
        const std::optional<double> other = number(text);
        return !other || beyond(*other);
      });
    };
    if (!value) continue;
    const bool lowest = outside([&](double other) { return other < *value; });
    const bool highest = outside([&](double other) { return other > *value; });
    if ((lowest && *value > fields[f].min) || (highest && *value < fields[f].max))
      found.push_back(fields[f].name);
  }
  return found;
}

}  // namespace park::cli
