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

TEST(PlanSearch, GridWhereItFits) {
  EXPECT_EQ(plan_search(two_fields(), 101), SearchPlan::grid);
  EXPECT_EQ(plan_search(two_fields(), 100), SearchPlan::coordinate_descent);
  EXPECT_EQ(plan_search({{"x", grid_values("0:9:1")}}, 3), SearchPlan::grid);
}

TEST(Search, GridTriesEverythingOnce) {
  std::vector<Assignment> tried;
  const SearchOutcome outcome =
      search(two_fields(), {"0", "0"}, SearchPlan::grid, 101, [&](const Assignment& a) {
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
  const SearchOutcome outcome = search(two_fields(), {"0.5", "0"}, SearchPlan::coordinate_descent,
                                       50, [&](const Assignment& a) {
                                         tried.push_back(a);
                                         return std::optional(bowl(a));
                                       });
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.best, (Assignment{"7", "2"}));
  EXPECT_EQ(tried.front(), (Assignment{"0.5", "0"}));
  EXPECT_LE(tried.size(), 31u);  // start, 10 of x, 9 more of y, 9 more of x in the second round
}

TEST(Search, BudgetAndStopEndIt) {
  int calls = 0;
  const auto counting = [&](const Assignment& a) {
    ++calls;
    return std::optional(bowl(a));
  };
  const SearchOutcome spent = search(two_fields(), {"0", "0"}, SearchPlan::grid, 7, counting);
  EXPECT_FALSE(spent.finished);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(spent.evaluations, 7u);

  const SearchOutcome stopped = search(two_fields(), {"0", "0"}, SearchPlan::grid, 1000,
                                       [](const Assignment& a) -> std::optional<double> {
                                         if (a[1] == "3") return std::nullopt;
                                         return bowl(a);
                                       });
  EXPECT_FALSE(stopped.finished);
  EXPECT_EQ(stopped.best, (Assignment{"0", "2"}));
}

TEST(Search, UndefinedCostsNeverWin) {
  const SearchOutcome outcome =
      search({{"x", {"a", "b"}}}, {"a"}, SearchPlan::grid, 10,
             [](const Assignment& a) { return std::optional(a[0] == "a" ? NAN : 5.0); });
  EXPECT_EQ(outcome.best, Assignment{"b"});
}

}  // namespace tuning_test
}  // namespace park::cli
