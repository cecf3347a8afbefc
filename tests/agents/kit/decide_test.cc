// Decisions of a network on an environment that has every kind of head.
#include "agents/kit/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "agents/kit/network_policy.h"
#include "park/core/registry.h"
#include "tests/agents/kit/gradient.h"
#include "tests/agents/kit/value_table.h"
#include "tests/kit/toy_shop.h"

namespace park::agents {
namespace decide_test {

using test::ValueTable;

class Decide : public ::testing::Test {
 protected:
  static constexpr const char* kShop = "toy_shop(customers=20,interval_s=0.3,mood=busy)";

  Decide() {
    registry_.add_env<park::test::ToyShop>();
    spec_ = registry_.spec(kShop);
    net_ = std::make_shared<ValueTable>(spec_);
    heads_ = std::make_unique<Heads>(spec_);
  }

  /// All observations and actions of some episodes, as a policy decides.
  struct Played {
    Batch observation, action;
    std::map<std::uint64_t, std::pair<std::uint64_t, double>> ends;  // decisions, last time
  };
  Played played(bool sample, std::uint32_t slots, std::uint64_t count = 6) {
    Played all{Batch(spec_.observation), Batch(spec_.action), {}};
    const RandomEpisodes episodes(Rng(5), {.count = count});
    const auto stream = registry_.stream(kShop, episodes, {.slots = slots});
    NetworkPolicy policy(spec_, net_, sample);
    play(*stream, policy, Rng(6), [&](const Decisions& d, const Batch& actions) {
      all.observation.append(d.observation);
      all.action.append(actions);
      for (const Ended& e : d.ended) all.ends[e.episode.id] = {e.decisions, e.last.elapsed_s};
    });
    return all;
  }

  Registry registry_;
  Spec spec_;
  std::shared_ptr<ValueTable> net_;
  std::unique_ptr<Heads> heads_;
};

TEST_F(Decide, EveryDecisionIsLegal) {
  for (const bool sample : {false, true})
    EXPECT_GT(played(sample, 2).action.rows(), 50u);  // an illegal action would throw
}

TEST_F(Decide, DrawsDependOnEpisodesAndNotOnSlots) {
  EXPECT_EQ(played(true, 1).ends, played(true, 4).ends);
}

TEST_F(Decide, CandidatesAreTheLegalValues) {
  const Played p = played(true, 1);
  const ActionSpace space(spec_);
  EXPECT_EQ((*heads_)[0].kind, HeadKind::index);
  EXPECT_EQ((*heads_)[1].kind, HeadKind::interval);
  EXPECT_EQ((*heads_)[2].kind, HeadKind::categorical);
  EXPECT_EQ((*heads_)[3].kind, HeadKind::continuous);
  Candidates c;
  for (std::size_t h = 0; h < 3; ++h) {
    heads_->candidates(h, p.observation, p.action, c);
    ASSERT_EQ(c.rows(), p.observation.rows());
    for (std::size_t r = 0; r < c.rows(); ++r) {
      const auto choice = space.choice(h, p.observation.row(r), p.action.row(r));
      std::vector<std::int32_t> legal;
      for (std::int64_t v = choice.low; v <= choice.high; ++v)
        if (choice.contains(v)) legal.push_back(static_cast<std::int32_t>(v));
      EXPECT_EQ(std::vector<std::int32_t>(c.value.begin() + c.offsets[r],
                                          c.value.begin() + c.offsets[r + 1]),
                legal);
    }
  }
}

TEST_F(Decide, ScoresOfAPolicyAreThoseItChoosesBy) {
  const Played p = played(false, 2);
  NetworkPolicy policy(spec_, net_, false);
  Candidates c;
  std::vector<float> scores;
  const float never = -std::numeric_limits<float>::infinity();
  for (std::size_t h = 0; h < 3; ++h) {
    ASSERT_TRUE(policy.scores(p.observation, h, p.action, c, scores));
    ASSERT_EQ(scores.size(), c.size());
    ASSERT_EQ(c.rows(), p.observation.rows());
    for (std::size_t r = 0; r < c.rows(); ++r) {
      const auto begin = static_cast<std::size_t>(c.offsets[r]);
      const std::span of_row(scores.data() + begin, static_cast<std::size_t>(c.count(r)));
      EXPECT_GT(of_row[pick_largest(of_row)], never);
      EXPECT_EQ(c.value[begin + pick_largest(of_row)], heads_->get(p.action.row(r), h)) << h;
    }
  }
  EXPECT_FALSE(policy.scores(p.observation, 3, p.action, c, scores)) << "a continuous head";
}

TEST_F(Decide, PathsLeadToTheElementChosen) {
  const Played p = played(true, 1);
  const auto customers = p.observation.offsets(p.observation.group("customers"));
  const auto kinds = p.observation.offsets(p.observation.group("kinds"));
  const auto kind = p.observation.field<std::int32_t>("customer.kind");
  Candidates amount, desk;
  heads_->candidates(1, p.observation, p.action, amount);  // given the customer
  heads_->candidates(2, p.observation, p.action, desk);    // given the customer's kind
  for (std::size_t r = 0; r < amount.rows(); ++r) {
    const std::int32_t who = heads_->get(p.action.row(r), 0);
    EXPECT_EQ(amount.given[r], customers[r] + who);
    EXPECT_EQ(desk.given[r], kinds[r] + p.observation.row(r)[kind][static_cast<std::size_t>(who)]);
  }
}

TEST_F(Decide, GradientsAreThoseOfFiniteDifferences) {
  const Played p = played(true, 1, 1);
  Batch observation(spec_.observation), action(spec_.action);
  for (std::size_t r = 0; r < 6; ++r) {
    observation.append(p.observation, r);
    action.append(p.action, r);
  }
  const at::Tensor weights = net_->weights_.detach().clone();
  test::expect_gradient(
      [&](const at::Tensor& w) {
        net_->weights_ = w;
        const Evaluation e = evaluate(*net_, *heads_, observation, action);
        return e.log_prob.sum() + 0.3 * e.entropy.sum();
      },
      weights);
  net_->weights_ = weights;
  test::expect_gradient(
      [&](const at::Tensor& deviation) {
        net_->deviation_ = deviation;
        return evaluate(*net_, *heads_, observation, action).log_prob.sum();
      },
      net_->deviation_);
}

TEST_F(Decide, IllegalActionsAreNotEvaluated) {
  const Played p = played(true, 1, 1);
  for (const std::int32_t wrong : {-1, 1000}) {
    Batch observation(spec_.observation), action(spec_.action);
    observation.append(p.observation, 0);
    action.append(p.action, 0);
    heads_->set(action.row(0), 0, wrong);
    observation.append(p.observation, 5);  // a row with a choice
    action.append(p.action, 5);
    try {
      (void)evaluate(*net_, *heads_, observation, action);
      ADD_FAILURE() << wrong << " is evaluated";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::illegal_action) << e.what();
    }
  }
}

/// The probabilities by which decide draws are those that evaluate tells.
TEST_F(Decide, FrequenciesAgreeWithProbabilities) {
  constexpr int kDraws = 20000;
  const Played p = played(true, 1, 1);
  Batch observation(spec_.observation), actions(spec_.action);
  for (int i = 0; i < kDraws; ++i) observation.append(p.observation, 5);
  actions.resize(kDraws);
  const Rng rng(9);
  decide(
      *net_, *heads_, observation, actions,
      [&](std::size_t row, std::size_t head, auto, std::span<const float> scores) {
        return pick_by(scores, rng.split(row).split(head).uniform());
      },
      [](std::size_t, std::size_t, std::size_t) { return 0.0f; });
  std::map<std::vector<std::int32_t>, std::vector<std::int64_t>> rows;  // of every choice
  for (std::size_t r = 0; r < kDraws; ++r) {
    std::vector<std::int32_t> choice;
    for (std::size_t h = 0; h < 3; ++h)
      choice.push_back(heads_->get(std::as_const(actions).row(r), h));
    rows[choice].push_back(static_cast<std::int64_t>(r));
  }
  const at::NoGradGuard off;
  const Evaluation e = evaluate(*net_, *heads_, observation, actions);
  const auto likelihood = [&](std::int64_t r) { return std::exp(e.log_prob[r].item<double>()); };
  // The continuous head took its mean everywhere, whose density is one factor for all choices.
  double total = 0;
  for (const auto& [choice, of] : rows) total += likelihood(of[0]);
  ASSERT_GT(rows.size(), 5u);
  for (const auto& [choice, of] : rows) {
    const double share = likelihood(of[0]) / total;
    const double deviation = std::sqrt(kDraws * share * (1 - share));
    EXPECT_NEAR(static_cast<double>(of.size()), kDraws * share, 5 * deviation + 1);
  }
}

TEST(PlaceOf, AValueBeyondTheLastOneOfAnIntervalIsTheLastOne) {
  const std::vector<std::int32_t> values{1, 2, 4};
  for (const HeadKind kind : {HeadKind::index, HeadKind::categorical, HeadKind::interval}) {
    EXPECT_EQ(place_of(1, kind, values), 0u);
    EXPECT_EQ(place_of(4, kind, values), 2u);
    EXPECT_EQ(place_of(3, kind, values), 3u) << "is not there";
    EXPECT_EQ(place_of(9, kind, values), kind == HeadKind::interval ? 2u : 3u);
    EXPECT_EQ(place_of(9, kind, {}), 0u);
  }
}

/// What decide says of its draws, and PPO divides by, is what evaluate says of them.
TEST_F(Decide, TellsTheProbabilitiesOfItsDraws) {
  const Played p = played(true, 1);
  const std::size_t n = p.observation.rows();
  Spec wide = spec_;
  wide.action.leaves[3].high = 3;  // a range of real numbers that is not 1
  const Heads heads(wide);
  Batch actions(wide.action);
  actions.resize(n);
  std::vector<float> told(n);
  const Rng rng(9);
  const auto noise = [&](std::size_t row, std::size_t head, std::size_t component) {
    return static_cast<float>(rng.split(row).split(head).split(component).normal());
  };
  decide(
      *net_, heads, p.observation, actions,
      [&](std::size_t row, std::size_t head, auto, std::span<const float> scores) {
        return pick_by(scores, rng.split(row).split(head).uniform());
      },
      noise, told);
  const at::NoGradGuard off;
  const Evaluation e = evaluate(*net_, heads, p.observation, actions);
  float least = 0, most = 0;
  for (std::size_t r = 0; r < n; ++r) {
    EXPECT_NEAR(told[r], e.log_prob[static_cast<std::int64_t>(r)].item<float>(), 1e-4) << r;
    least = std::min(least, told[r]);
    most = std::max(most, noise(r, 3, 0));
  }
  EXPECT_LT(least, -2);  // several heads had a choice
  EXPECT_GT(most, 1);
}

TEST(Pick, TheFirstOfTheLargest) {
  const std::vector<float> scores = {1, 3, 3, 2};
  EXPECT_EQ(pick_largest(scores), 1u);
  EXPECT_EQ(pick_by(scores, 0), 0u);
  EXPECT_EQ(pick_by(scores, 0.999999), 3u);
}

}  // namespace decide_test
}  // namespace park::agents
