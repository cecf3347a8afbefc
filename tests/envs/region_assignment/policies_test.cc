// Policies of region_assignment on small situations, and the linear program of an episode.
#include "park/envs/region_assignment/policies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/text.h"
#include "park/envs/envs.h"
#include "park/envs/region_assignment/hindsight.h"
#include "park/envs/region_assignment/region_assignment.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace region_policies_test {

using namespace region_assignment;

/// A row with three regions that a test fills.
class RegionRow {
 public:
  RegionRow() : spec_(registry().spec("region_assignment(lifetimes=permanent)")) {
    layout_.emplace(bind_layout<RegionLayout>(spec_));
    const Row row = rows_.emplace(spec_.observation).append();
    row.resize(layout_->regions, 4);
    for (std::size_t c = 0; c < rows_->columns(); ++c)
      std::ranges::fill(rows_->bytes(c, 0, 1), std::byte{0});
    row.scalar(layout_->weight) = 2;
    for (std::size_t e = 0; e < 4; ++e) {
      row[layout_->number][e] = e == 3 ? kMaxRegions : static_cast<std::int32_t>(e);
      row[layout_->mask][e] = e < 3 ? 1 : 0;
      row[layout_->cost][e] = static_cast<float>(e + 1);
    }
    row[layout_->reject][3] = 1;
  }
  [[nodiscard]] Row row() { return rows_->row(0); }
  [[nodiscard]] const RegionLayout& layout() const { return *layout_; }
  [[nodiscard]] int answer(const std::string& policy) {
    Decisions d(spec_);
    d.asked.emplace_back();
    d.observation.append(*rows_, 0);
    Batch actions(spec_.action);
    actions.resize(1);
    registry().policy(policy, spec_)->act(d, actions);
    return std::as_const(actions).row(0).scalar(layout_->region);
  }

 private:
  Spec spec_;
  std::optional<RegionLayout> layout_;
  std::optional<Batch> rows_;
};

TEST(RegionPolicies, CheapestTakesTheLeastCostThatIsLegal) {
  RegionRow r;
  EXPECT_EQ(r.answer("cheapest"), 0);
  r.row()[r.layout().mask][0] = 0;
  EXPECT_EQ(r.answer("cheapest"), 1);
  r.row()[r.layout().cost][2] = -1;
  EXPECT_EQ(r.answer("cheapest"), 2);
}

TEST(RegionPolicies, AFullRegionHasAPriceThatRisesExponentially) {
  RegionRow r;
  r.row()[r.layout().used_share][0] = 0.5F;
  // Half full: 2 x 4 (10^0.5 - 1) / 9 = 1.92, and the second region is dearer by 1.
  EXPECT_EQ(r.answer("exponential_price(full=4,base=10)"), 1);
  EXPECT_EQ(r.answer("exponential_price(full=2,base=10)"), 0);  // 0.96
}

TEST(RegionPolicies, RejectingUsesNoCapacity) {
  RegionRow r;
  r.row()[r.layout().mask][3] = 1;
  r.row()[r.layout().cost][3] = 3.5F;
  for (std::size_t e = 0; e < 3; ++e) r.row()[r.layout().used_share][e] = 1;
  EXPECT_EQ(r.answer("exponential_price(full=2,base=10)"), 3);
  EXPECT_EQ(r.answer("cheapest"), 0);
}

TEST(RegionPolicies, LearnedPricesNeedATextToLearnFrom) {
  Spec spec = registry().spec("region_assignment");
  spec.text.clear();
  try {
    static_cast<void>(registry().policy("learned_prices", spec));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::unavailable);
    EXPECT_NE(std::string(e.what()).find("needs the text"), std::string::npos);
  }
}

RegionConfig config_of(const std::string& fields) {
  return parse_config<RegionConfig>(parse_text("region_assignment(" + fields + ")"));
}

TEST(LearnedPrices, CapacityIsFreeWhereThereIsPlenty) {
  std::vector<double> prices;
  LearnedPrices(config_of("accounts=100,lifetimes=permanent,load=0.02"), {.days = 1})
      .expected(0, kInf, prices);
  for (const double p : prices) EXPECT_EQ(p, 0);
}

TEST(LearnedPrices, TheOneScarceRegionIsWorthWhatTheOtherCostsMore) {
  // Two regions at one price for capacity and no distance that counts: moving an account from the
  // small cheap region to the large one costs 0.5 (3 - 1) = 1, which is the shadow price.
  const RegionConfig c = config_of(
      "accounts=200,lifetimes=permanent,load=0.5,regions=2,capacities=[1,9],prices=[1,3],"
      "round_trip_unit_s=1000");
  std::vector<double> prices;
  LearnedPrices(c, {.days = 2, .iterations = 2000}).expected(0, kInf, prices);
  EXPECT_NEAR(prices[0], 1, 0.05);
  EXPECT_NEAR(prices[1], 0, 0.01);
}

TEST(LearnedPrices, CapacityIsWorthLessTowardsTheEnd) {
  const LearnedPrices learned(config_of("load=0.95"), {.days = 2});
  std::vector<double> early, late, none;
  learned.expected(43'200, 86'400, early);
  learned.expected(43'200, 50'000, late);
  learned.expected(43'200, 43'200, none);
  double sums[3] = {0, 0, 0};
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_LE(late[k], early[k]);
    sums[0] += early[k], sums[1] += late[k], sums[2] += none[k];
  }
  EXPECT_GT(sums[0], 1.5 * sums[1]);
  EXPECT_EQ(sums[2], 0);
}

/// A linear program as its text has it.
struct Program {
  explicit Program(const std::string& text) {
    std::istringstream lines(text);
    std::string section, line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string a, b;
      double value = 0;
      if (line[0] != ' ') {
        words >> section;
        continue;
      }
      words >> a >> b;
      if (section == "ROWS") kinds[b] = a;
      if (words >> value) (section == "COLUMNS" ? columns[a] : sides)[b] = value;
    }
  }
  std::map<std::string, std::string> kinds;
  std::map<std::string, std::map<std::string, double>> columns;
  std::map<std::string, double> sides;
};

/// What a policy does is a solution of the linear program, at the cost that it pays.
void expect_solution(const std::string& fields) {
  const RegionConfig c = config_of(fields);
  const Episode e{.inputs = 11};
  const Program program(hindsight_mps(c, known_episode(c, e.inputs)));
  RegionAssignment env(c);
  const Spec spec = RegionAssignment::spec(c);
  const RegionLayout layout = bind_layout<RegionLayout>(spec);
  Batch rows(spec.observation), actions(spec.action);
  actions.resize(1);
  const ActionSpace space(spec);
  std::map<std::string, double> used;
  env.reset(e, rows.append());
  std::size_t i = 0;
  for (Outcome o; o.end == End::none; ++i) {
    Rng draw = Rng(5).split(i);
    space.sample(std::as_const(rows).row(0), actions.row(0), draw);
    const auto k = static_cast<std::size_t>(actions.row(0).scalar(layout.region));
    const std::string part = k == c.region_count() ? "r" : std::to_string(k);
    for (const auto& [row, value] : program.columns.at("x" + std::to_string(i) + "_" + part))
      used[row] += value;
    rows.clear();
    o = env.step(std::as_const(actions).row(0), rows.append());
  }
  EXPECT_EQ(program.columns.size(), i * (c.region_count() + 1));
  std::vector<double> metrics(spec.metrics.size());
  env.metrics(metrics);
  EXPECT_NEAR(used.at("cost"), metrics[spec.metric("total_cost")], 1e-9 * used.at("cost"));
  for (const auto& [row, kind] : program.kinds) {
    if (kind == "E") {
      EXPECT_EQ(used.at(row), 1) << row;
    } else if (kind == "L") {
      EXPECT_LE(used[row], program.sides.at(row)) << row;
    }
  }
  EXPECT_EQ(program.sides.size() + 1, program.kinds.size()) << "cost has no side";
}

TEST(Hindsight, APolicyIsASolutionOfTheProgram) {
  expect_solution("accounts=120,load=0.95");
  expect_solution("accounts=80,lifetimes=permanent,load=0.9");
  expect_solution("accounts=50,regions=2,reject=always,lifetime_s=600");
}

TEST(Hindsight, PermanentAccountsHaveOneRowPerRegion) {
  const RegionConfig c = config_of("accounts=30,lifetimes=permanent,regions=3");
  const Program program(hindsight_mps(c, known_episode(c, 1)));
  EXPECT_EQ(program.kinds.size(), 1 + 30u + 3u);
}

}  // namespace region_policies_test
}  // namespace park::test
