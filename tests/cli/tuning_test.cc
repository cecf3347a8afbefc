// The search of `park tune`: values of grids, the whole grid, descents from one and from several
// starts, and ends of grids where better values may lie beyond.
#include "cli/play/tuning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "park/core/error.h"

namespace park::cli {
namespace tuning_test {

using Values = std::vector<std::string>;

TEST(GridValues, RangesAreDecimal) {
  EXPECT_EQ(grid_values("-0.2:0.3:0.1"), (Values{"-0.2", "-0.1", "0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(grid_values("1:10:4"), (Values{"1", "5", "9"}));
  EXPECT_EQ(grid_values("0.25:1:0.25"), (Values{"0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(grid_values("3:3:1"), Values{"3"});
  EXPECT_EQ(grid_values("1e-3:3e-3:1e-3").size(), 3u);
}

TEST(GridValues, ListsStayAsWritten) {
  EXPECT_EQ(grid_values("a|b|c"), (Values{"a", "b", "c"}));
  EXPECT_EQ(grid_values("true|false"), (Values{"true", "false"}));
  EXPECT_EQ(grid_values("1|10|100"), (Values{"1", "10", "100"}));
}

TEST(GridValues, RefusesWhatIsNoRange) {
  for (const char* bad : {"2:1:1", "0:1:0", "0:1:-1", "a:b:c", "0:1e9:1", "0:inf:1"})
    EXPECT_THROW(static_cast<void>(grid_values(bad)), Error) << bad;
}

std::vector<GridField> two_fields() {
  return {{"x", grid_values("0:9:1")}, {"y", grid_values("0:9:1")}};
}

/// A bowl with its lowest point at (7, 2); the fields do not interact.
double bowl(const Assignment& a) {
  const double x = std::stod(a[0]) - 7, y = std::stod(a[1]) - 2;
  return x * x + 3 * y * y;
}

/// A valley along x = y that falls slowly towards (8, 8): one field alone cannot go along it.
double valley(const Assignment& a) {
  const double x = std::stod(a[0]), y = std::stod(a[1]);
  return 10 * std::abs(x - y) + std::abs(x - 8);
}

TEST(MethodFor, GridWhereItFits) {
  EXPECT_EQ(grid_size(two_fields()), 100);
  EXPECT_EQ(method_for(two_fields(), 101), SearchMethod::grid);
  EXPECT_EQ(method_for(two_fields(), 100), SearchMethod::descent);
  EXPECT_EQ(method_for({{"x", grid_values("0:9:1")}}, 3), SearchMethod::grid);
}

TEST(Search, GridTriesEverythingOnce) {
  std::vector<Assignment> tried;
  const SearchOutcome outcome =
      search(two_fields(), {"0", "0"}, {.budget = 101}, [&](const Assignment& a) {
        tried.push_back(a);
        return std::optional(bowl(a));
      });
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.evaluations, 100u);  // the start lies on the grid
  EXPECT_EQ(tried.size(), 100u);
  EXPECT_EQ(outcome.best, (Assignment{"7", "2"}));
}

TEST(Search, DescentFindsTheMinimumOfASeparableCost) {
  std::vector<Assignment> tried;
  const SearchPlan plan{.method = SearchMethod::descent, .budget = 50, .starts = 1};
  const SearchOutcome outcome = search(two_fields(), {"0.5", "0"}, plan, [&](const Assignment& a) {
    tried.push_back(a);
    return std::optional(bowl(a));
  });
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.starts, 1u);
  EXPECT_EQ(outcome.best, (Assignment{"7", "2"}));
  EXPECT_EQ(tried.front(), (Assignment{"0.5", "0"}));
  EXPECT_LE(tried.size(), 31u);  // start, 10 of x, 9 more of y, 9 more of x in the second round
}

TEST(Search, MoreStartsFindWhatOneDescentMisses) {
  const auto cost = [](const Assignment& a) { return std::optional(valley(a)); };
  SearchPlan plan{.method = SearchMethod::descent, .budget = 80, .starts = 1};
  EXPECT_EQ(search(two_fields(), {"0", "0"}, plan, cost).best, (Assignment{"0", "0"}));
  plan.starts = 0;
  int near = 0;  // 80 of 100 assignments may leave out the lowest ones
  for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
    const SearchOutcome outcome = search(two_fields(), {"0", "0"}, plan, cost);
    EXPECT_EQ(outcome.evaluations, 80u) << "the whole budget is used";
    EXPECT_TRUE(outcome.finished);
    EXPECT_GT(outcome.starts, 1u);
    EXPECT_LT(valley(outcome.best), valley({"0", "0"})) << "seed " << plan.seed;
    if (valley(outcome.best) <= 1) ++near;
  }
  EXPECT_GE(near, 15);
}

TEST(Search, DescentsEndWhereAllWasTried) {
  int calls = 0;
  const SearchPlan plan{.method = SearchMethod::descent, .budget = 1000};
  const SearchOutcome outcome = search(two_fields(), {"0", "0"}, plan, [&](const Assignment& a) {
    ++calls;
    return std::optional(valley(a));
  });
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(outcome.best, (Assignment{"8", "8"}));
}

TEST(Search, BudgetAndStopEndIt) {
  int calls = 0;
  const auto counting = [&](const Assignment& a) {
    ++calls;
    return std::optional(bowl(a));
  };
  const SearchOutcome spent = search(two_fields(), {"0", "0"}, {.budget = 7}, counting);
  EXPECT_FALSE(spent.finished);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(spent.evaluations, 7u);
  const SearchPlan descent{.method = SearchMethod::descent, .budget = 7};
  EXPECT_FALSE(search(two_fields(), {"0", "0"}, descent, counting).finished);

  const SearchOutcome stopped = search(two_fields(), {"0", "0"}, {.budget = 1000},
                                       [](const Assignment& a) -> std::optional<double> {
                                         if (a[1] == "3") return std::nullopt;
                                         return bowl(a);
                                       });
  EXPECT_FALSE(stopped.finished);
  EXPECT_EQ(stopped.best, (Assignment{"0", "2"}));
}

TEST(Search, UndefinedCostsNeverWin) {
  const SearchOutcome outcome =
      search({{"x", {"a", "b"}}}, {"a"}, {.budget = 10},
             [](const Assignment& a) { return std::optional(a[0] == "a" ? NAN : 5.0); });
  EXPECT_EQ(outcome.best, Assignment{"b"});
}

TEST(FieldsOnBorder, AreEndsThatTheFieldItselfDoesNotSet) {
  const std::vector<GridField> fields{{.name = "x", .values = grid_values("0:9:1"), .min = 0},
                                      {.name = "y", .values = {"9", "4", "1"}, .min = 0, .max = 9},
                                      {.name = "z", .values = {"none", "1", "2"}}};
  EXPECT_EQ(fields_on_border(fields, {"5", "4", "2"}), Values{});
  EXPECT_EQ(fields_on_border(fields, {"9", "4", "2"}), Values{"x"});
  EXPECT_EQ(fields_on_border(fields, {"0", "9", "1"}), Values{});
  EXPECT_EQ(fields_on_border(fields, {"9", "1", "none"}), (Values{"x", "y"}));
  EXPECT_EQ(fields_on_border(fields, {"12", "4", "1"}), Values{"x"}) << "a start beyond the grid";
  EXPECT_EQ(fields_on_border(fields, {}), Values{});
}

}  // namespace tuning_test
}  // namespace park::cli
