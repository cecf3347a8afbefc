// Features of a made-up row, by hand: of candidates, of linked elements, of a situation. Then the grammar of
// expressions.
#include "park/trees/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/kit/memory.h"
#include "tests/trees/depot.h"

namespace park::trees {
namespace features_test {

using test::Depot;
using Values = std::vector<float>;
using Kind = Level::Kind;

class FeaturesOf : public testing::Test {
 protected:
  /// The values of one feature at all items.
  Values values(const Level& level, const std::string& text) {
    std::vector<Derived> derived{{"twice", parse_expression("2 * parcel.size")},
                                 {"slack", parse_expression("owner.weight / share.min")}};
    Features f(depot_.spec, depot_.heads, level, {parse_expression(text)}, derived);
    f.compute(depot_.row(), depot_.chosen(), candidates(level.head));
    Values all;
    for (std::size_t i = 0; i < f.items(); ++i) all.push_back(f[i][0]);
    return all;
  }
  std::vector<std::int32_t> candidates(std::size_t head) {
    Candidates c;
    depot_.heads.candidates(head, depot_.observation, depot_.action, c);
    return c.value;
  }
  std::string complaint(const Level& level, const std::string& text) {
    try {
      static_cast<void>(values(level, text));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  Depot depot_;
  const Level parcels_{.head = 0}, owners_{.head = 0, .kind = Kind::linked, .group = "owners"},
      share_{.head = 1, .kind = Kind::situation}, desks_{.head = 2};
};

TEST_F(FeaturesOf, CandidatesHaveTheirOwnLeavesAndThoseTheyLeadTo) {
  EXPECT_EQ(values(parcels_, "parcel.size"), (Values{4, 7, 4, 2}));
  EXPECT_EQ(values(parcels_, "owner.weight"), (Values{3, 0.5f, 3, 0.5f}));
  EXPECT_EQ(values(parcels_, "depot.free"), (Values{6, 6, 6, 6}));
  EXPECT_EQ(values(parcels_, "depot.past[0]"), (Values{8, 8, 8, 8}));
}

TEST_F(FeaturesOf, RanksCountDistinctSmallerValues) {
  EXPECT_EQ(values(parcels_, "parcel.size#rank"), (Values{1, 2, 1, 0}));
  EXPECT_EQ(values(parcels_, "owner.since_s#rank"), (Values{0, 1, 0, 1}));
  EXPECT_EQ(values(parcels_, "parcel.size#rank_in_owners"), (Values{0, 1, 0, 0}));
}

TEST_F(FeaturesOf, TheLeastIsThatOfAllItems) {
  EXPECT_EQ(values(parcels_, "parcel.size#least"), (Values{2, 2, 2, 2}));
  EXPECT_EQ(values(parcels_, "twice - twice#least"), (Values{4, 10, 4, 0}));
  EXPECT_EQ(values(owners_, "parcel.size#max#least"), (Values{4, 4}));
}

/// Whether an item's values are asked for alone or with those of all others is all the same.
TEST_F(FeaturesOf, WantedItemsHaveTheValuesThatTheyHaveAmongAll) {
  for (const auto& [level, texts] :
       {std::pair(
            parcels_,
            std::vector<std::string>{"parcel.size", "owner.weight", "depot.past[0]", "#candidates",
                                     "parcel.size#rank", "parcel.size#rank_in_owners",
                                     "parcel.size#rank#rank + parcel.size", "parcel.size#least - 1",
                                     "above#rank_in_owners"}),
        std::pair(desks_, std::vector<std::string>{"desk.speed", "desk.speed[1]", "#value",
                                                   "desk.speed#rank", "desk.speed#least"})}) {
    std::vector<Expression> features;
    for (const std::string& text : texts) features.push_back(parse_expression(text));
    const auto all = candidates(level.head);
    const std::vector<Derived> derived{
        {"above", parse_expression("parcel.size - parcel.size#least")}};
    Features whole(depot_.spec, depot_.heads, level, features, derived), some = whole;
    whole.compute(depot_.row(), depot_.chosen(), all);
    some.find_items(depot_.row(), depot_.chosen(), all);
    for (const std::vector<std::uint32_t>& wanted :
         {std::vector<std::uint32_t>{1}, {0, 2}, {0, 1, 2}}) {
      some.compute_found(depot_.row(), all, wanted);
      for (const std::uint32_t i : wanted)
        EXPECT_TRUE(std::ranges::equal(some[i], whole[i])) << "item " << i;
    }
  }
}

/// Many values are ranked in another way than few.
TEST(Ranks, OfManyItemsCountDistinctSmallerValues) {
  Registry registry;
  envs::register_all(registry);
  const std::string env = "load_balance(servers=90)";
  const Spec spec = registry.spec(env);
  const Heads heads(spec);
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry.stream(env, episodes);
  const Batch& row = stream->recv({}).observation;
  const auto rate = row.row(0)[row.field<float>("server.rate")];
  std::vector<std::int32_t> all(90);
  std::iota(all.begin(), all.end(), 0);
  Batch action(spec.action);
  action.resize(1);
  for (const std::size_t n : {std::size_t{90}, std::size_t{30}}) {
    const std::vector<Derived> derived{
        {"capped", parse_expression("min(server.rate, " + std::to_string(rate[7]) + ")")}};
    Features f(spec, heads, {.head = 0},
               {parse_expression("capped"), parse_expression("capped#rank")}, derived);
    const std::span candidates = std::span(all).first(n);
    f.compute(row.row(0), std::as_const(action).row(0), candidates);
    for (std::size_t i = 0; i < n; ++i) {
      std::set<float> smaller;
      for (std::size_t j = 0; j < n; ++j)
        if (f[j][0] < f[i][0]) smaller.insert(f[j][0]);
      EXPECT_EQ(f[i][1], static_cast<float>(smaller.size())) << n << " items, item " << i;
    }
  }
}

TEST_F(FeaturesOf, LinkedElementsAreItemsOnce) {
  EXPECT_EQ(values(owners_, "owner.weight"), (Values{0.5f, 3}));  // owner 1 has no legal parcel
  EXPECT_EQ(values(owners_, "parcel.size#max"), (Values{7, 4}));
  EXPECT_EQ(values(owners_, "owner.since_s#rank"), (Values{1, 0}));
  EXPECT_EQ(values(owners_, "parcel.size#max - owner.weight"), (Values{6.5f, 1}));
  Features f(depot_.spec, depot_.heads, owners_, {parse_expression("depot.free")});
  f.compute(depot_.row(), depot_.chosen(), candidates(0));
  EXPECT_EQ(std::vector<std::uint32_t>(f.item_of().begin(), f.item_of().end()),
            (std::vector<std::uint32_t>{1, 0, 1, 0}));
}

TEST_F(FeaturesOf, CountsAreThoseOfTheRowAndOfTheCandidates) {
  EXPECT_EQ(values(owners_, "owners#count"), (Values{3, 3}));
  EXPECT_EQ(values(owners_, "owners#candidates"), (Values{2, 2}));
  EXPECT_EQ(values(owners_, "#candidates"), (Values{4, 4}));
  EXPECT_EQ(values(share_, "#candidates"), (Values{8}));
}

TEST_F(FeaturesOf, ASituationHasTheElementsChosenBefore) {
  EXPECT_EQ(values(share_, "parcel.size"), (Values{4}));
  EXPECT_EQ(values(share_, "owner.weight"), (Values{3}));
  EXPECT_EQ(values(share_, "share.min"), (Values{2}));
  EXPECT_EQ(values(share_, "desk.speed#sum"), (Values{7}));
}

TEST_F(FeaturesOf, ValuesOfACategoricalHeadHaveTheirEntries) {
  EXPECT_EQ(values(desks_, "desk.speed"), (Values{1, 4, 2}));
  EXPECT_EQ(values(desks_, "desk.speed#rank"), (Values{0, 2, 1}));
  EXPECT_EQ(values(desks_, "desk.speed[1]"), (Values{4, 4, 4}));
  EXPECT_EQ(values(desks_, "#value"), (Values{0, 1, 2}));
}

TEST_F(FeaturesOf, ExpressionsAreTotal) {
  EXPECT_EQ(values(share_, "1 + 2 * 3 - 8 / 4"), (Values{5}));
  EXPECT_EQ(values(share_, "-(1 - 4) * min(2, 3, 5) + max(1, 7)"), (Values{13}));
  EXPECT_EQ(values(share_, "log(1)"), (Values{0}));
  EXPECT_EQ(values(share_, "depot.past[1] / depot.past[1]"), (Values{0}));
  EXPECT_EQ(values(share_, "log(-1)"), (Values{0}));
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(values(share_, "1 / depot.past[1]"), (Values{most}));
  EXPECT_EQ(values(share_, "log(depot.past[1])"), (Values{-most}));
}

TEST_F(FeaturesOf, DerivedFeaturesAreNames) {
  EXPECT_EQ(values(parcels_, "twice"), (Values{8, 14, 8, 4}));
  EXPECT_EQ(values(parcels_, "twice#rank"), (Values{1, 2, 1, 0}));
  EXPECT_EQ(values(owners_, "twice#max"), (Values{14, 8}));
  EXPECT_EQ(values(owners_, "slack + 1"), (Values{1.5f, 2.5f}));
}

TEST_F(FeaturesOf, WhatHasNoMeaningIsRefusedInOneLine) {
  EXPECT_EQ(complaint(parcels_, "parcel.sise"),
            "there is no leaf 'parcel.sise'; 'parcel.size' is near");
  EXPECT_EQ(complaint(owners_, "parcel.size"),
            "leaf 'parcel.size' is one of parcels, which owners do not lead to; "
            "'parcel.size#max' is there");
  EXPECT_NE(complaint(parcels_, "parcel.size#max").find("#max is for a level"), std::string::npos);
  EXPECT_NE(complaint(parcels_, "depot.past").find("has 2 entries"), std::string::npos);
  EXPECT_NE(complaint(parcels_, "depot.past[2]").find("from [0] to [1]"), std::string::npos);
  EXPECT_NE(complaint(share_, "owner.weight#rank").find("a rank needs items"), std::string::npos);
  EXPECT_NE(complaint(share_, "owner.weight#least").find("#least needs items"), std::string::npos);
  EXPECT_NE(complaint(desks_, "parcel.size").find("do not lead to"), std::string::npos);
  EXPECT_NE(complaint(parcels_, "parcel.size#mean").find("'#mean' is none of"), std::string::npos);
}

TEST_F(FeaturesOf, NothingAllocatesOnceWarm) {
  std::vector<Expression> all;
  for (const char* text :
       {"parcel.size#max", "owner.since_s#rank", "owner.weight / 3", "owners#candidates"})
    all.push_back(parse_expression(text));
  Features f(depot_.spec, depot_.heads, owners_, all);
  const std::vector<std::int32_t> c = candidates(0);
  f.compute(depot_.row(), depot_.chosen(), c);
  const test::AllocationCount count;
  for (int i = 0; i < 10; ++i) f.compute(depot_.row(), depot_.chosen(), c);
  EXPECT_EQ(count.count(), 0u);
}

TEST(Expressions, TextsReadBackToTheSame) {
  for (const char* text :
       {"a.b", "1 - (2 - 3)", "(a + b) * c / (d * e)", "-(a + b)", "max(a, b, 3)",
        "log(stage.work#max + 1)", "a[3]#rank_in_jobs", "#candidates - 1", "1e+20 * x"}) {
    const Expression e = parse_expression(text);
    EXPECT_EQ(to_text(e), text);
    EXPECT_EQ(parse_expression(to_text(e)), e);
  }
}

TEST(Expressions, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "a +", "a b", "(a", "a[", "a[x]", "a#", "pow(a, 2)", "1e999", "nan(", "min()"})
    EXPECT_THROW(static_cast<void>(parse_expression(text)), Error) << text;
  EXPECT_THROW(static_cast<void>(parse_expression(std::string(5000, '('))), Error);
  EXPECT_THROW(static_cast<void>(parse_expression(std::string(5000, '-'))), Error);
}

}  // namespace features_test
}  // namespace park::trees
