#include "park/core/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "park/core/policy.h"
#include "tests/core/toy.h"

namespace park {
namespace candidates_test {

/// Two rows of boxes: of {2, -, 5} the third is chosen, of {4} the only one.
class CandidatesOf : public testing::Test {
 protected:
  CandidatesOf() : obs_(spec_.observation), act_(spec_.action), heads_(spec_) {
    add({2, 0, 5}, {1, 0, 3}, {2, 0, 5});
    add({4}, {2}, {4});
    act_.resize(2);
    heads_.set(act_.row(0), 0, 2);
    heads_.set(act_.row(1), 0, 0);
  }
  void add(const std::vector<std::int32_t>& content, const std::vector<std::int32_t>& low,
           const std::vector<std::int32_t>& high) {
    Row r = obs_.append();
    r.resize(obs_.group("boxes"), content.size());
    std::ranges::copy(content, r[obs_.field<std::int32_t>("box.content")].begin());
    std::ranges::copy(low, r[obs_.field<std::int32_t>("amount.min")].begin());
    std::ranges::copy(high, r[obs_.field<std::int32_t>("amount.max")].begin());
    for (std::size_t i = 0; i < content.size(); ++i)
      r[obs_.field<std::uint8_t>("mask.box")][i] = content[i] > 0;
  }

  Spec spec_ = test::Boxes::spec();
  Batch obs_, act_;
  Heads heads_;
  Candidates c_;
};

TEST_F(CandidatesOf, IndexHeadsListTheElementsThatTheMaskLeaves) {
  heads_.candidates(0, obs_, act_, c_);
  EXPECT_EQ(c_.offsets, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(c_.value, (std::vector<std::int32_t>{0, 2, 0}));
  EXPECT_EQ(c_.element, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_TRUE(c_.given.empty());
  EXPECT_FALSE(c_.forced());
}

TEST_F(CandidatesOf, RangesAreThoseOfTheElementChosenBefore) {
  heads_.candidates(1, obs_, act_, c_);
  EXPECT_EQ(c_.offsets, (std::vector<std::int64_t>{0, 3, 6}));
  EXPECT_EQ(c_.value, (std::vector<std::int32_t>{3, 4, 5, 2, 3, 4}));
  EXPECT_EQ(c_.given, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(CandidatesOf, APolicyHasNoScoresUnlessItSaysSo) {
  RandomPolicy policy(spec_);
  std::vector<float> scores;
  EXPECT_FALSE(policy.scores(obs_, 0, act_, c_, scores));
}

}  // namespace candidates_test
}  // namespace park
