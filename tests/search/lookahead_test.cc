// Look-ahead: what roll-outs return, which candidates there are, what the policy gains, and what it
// refuses.

#include "park/search/lookahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/core/futures.h"
#include "park/envs/envs.h"
#include "park/search/alternatives.h"
#include "park/search/rollouts.h"
#include "tests/kit/toy_shop.h"

namespace park::test {
namespace lookahead_test {

/// Answers illegally from a decision of an episode on, as a policy of a plug-in may.
class Unruly final : public Policy {
 public:
  struct Config {
    std::uint64_t from = 0;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("from", self.from, FieldDoc{.doc = "the first illegal one", .min = 0, .max = 1e6});
    }
  };
  static PolicyInfo info() {
    return {.name = "unruly",
            .summary = "answers illegally",
            .reference = "none",
            .environments = {"load_balance"}};
  }
  Unruly(const Config& c, const Spec& s)
      : from_(c.from), server_(Batch(s.action).field<std::int32_t>("server")) {}
  void act(const Decisions& d, Batch& actions) override {
    for (std::size_t i = 0; i < d.asked.size(); ++i)
      actions.row(i).scalar(server_) = d.asked[i].sequence < from_ ? 0 : 100'000'000;
  }

 private:
  std::uint64_t from_;
  Field<std::int32_t> server_;
};

const Registry& all() {
  static const std::unique_ptr<const Registry> registry = [] {
    auto r = std::make_unique<Registry>();
    envs::register_all(*r);
    r->add_env<ToyShop>();
    r->add_policy<Unruly>();
    search::register_policies(*r);
    return r;
  }();
  return *registry;
}

/// The line that making a policy fails with.
std::string refusal(const std::string& policy, const Spec& spec) {
  try {
    static_cast<void>(all().policy(policy, spec));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    return e.what();
  }
  return "";
}

/// The sums of rewards of some episodes, by their number.
std::vector<double> rewards(const std::string& env, const std::string& policy,
                            std::uint64_t episodes, std::uint32_t slots = 1) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = episodes});
  const auto stream = all().stream(env, source, {.slots = slots});
  const auto player = all().policy(policy, stream->spec());
  std::vector<double> sums(episodes, 0);
  play(*stream, *player, Rng(1), [&](const Decisions& d, const Batch&) {
    for (const Ended& e : d.ended) sums[e.episode.id] += e.last.reward;
    for (const Ask& a : d.asked) sums[a.episode.id] += a.since_last.reward;
  });
  return sums;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum;
}

/// An episode, played by one instance of a policy, which another one's roll-outs repeat.
void expect_repeats(const std::string& text, const std::string& policy_text) {
  SCOPED_TRACE(text + " " + policy_text);
  const EnvOfText env_text = all().env(text);
  const Spec spec = env_text.spec();
  const auto env = env_text.factory()();
  const auto policy = all().policy(policy_text, spec), player = all().policy(policy_text, spec);
  search::Rollouts rollouts(spec, *player);
  const Episode episode = *RandomEpisodes(phase_rng(1, Phase::evaluate)).at(0);
  Decisions d(spec);
  Batch actions(spec.action);
  d.asked.push_back({.episode = episode, .since_last = {}});
  env->reset(episode, d.observation.append());
  policy->start(0, episode, Rng(5));
  std::vector<double> played, foretold;
  for (End end = End::none; end == End::none; ++d.asked[0].sequence) {
    actions.clear();
    actions.resize(1);
    policy->act(d, actions);
    std::vector<search::RolloutStart> starts;
    starts.push_back({.env = env->clone(),
                      .action = std::as_const(actions).row(0),
                      .episode = episode,
                      .sequence = d.asked[0].sequence,
                      .chance = Rng(5)});
    foretold.push_back(rollouts.play(starts)[0]);
    d.observation.clear();
    const Outcome o = env->step(std::as_const(actions).row(0), d.observation.append());
    played.push_back(o.reward);
    end = o.end;
  }
  ASSERT_GT(played.size(), 5u);
  for (std::size_t k = 0; k < played.size(); ++k) {
    double rest = 0;
    for (std::size_t i = k; i < played.size(); ++i) rest += played[i];
    EXPECT_EQ(foretold[k], rest) << "decision " << k;
  }
}

TEST(Rollouts, RepeatTheEpisodeBitForBit) {
  expect_repeats("load_balance(servers=3,jobs=40)", "shortest_queue");
  expect_repeats("load_balance(servers=3,jobs=40)", "random");
  expect_repeats("dag_scheduling(jobs=3,executors=4)", "fair");
  expect_repeats("dag_scheduling(jobs=4,executors=3,arrival=poisson)", "random");
}

TEST(Rollouts, EndAtTheirHorizonWithAPartOfTheStep) {
  const Spec spec = all().spec("load_balance(servers=2,jobs=30)");
  const auto env = all().env_factory("load_balance(servers=2,jobs=30)")();
  const auto policy = all().policy("least_work", spec);
  search::Rollouts rollouts(spec, *policy);
  Batch row(spec.observation), action(spec.action);
  action.resize(1);
  env->reset({.inputs = 3}, row.append());
  double within = 0, clock_s = 0;
  const double horizon_s = 1e4;
  {
    const auto copy = env->clone();
    Decisions d(spec);
    d.asked.push_back({});
    Batch chosen(spec.action);
    for (End end = End::none; end == End::none && clock_s < horizon_s;) {
      chosen.clear();
      chosen.resize(1);
      if (clock_s > 0) policy->act(d, chosen);
      d.observation.clear();
      const Outcome o = copy->step(std::as_const(chosen).row(0), d.observation.append());
      within += o.reward * std::min(1.0, (horizon_s - clock_s) / o.elapsed_s);
      clock_s += o.elapsed_s;
      end = o.end;
    }
  }
  std::vector<search::RolloutStart> starts;
  starts.push_back({.env = env->clone(), .action = std::as_const(action).row(0), .episode = {}});
  EXPECT_DOUBLE_EQ(rollouts.play(starts, horizon_s)[0], within);
}

/// Candidates along an episode: the own action comes first, all are legal and different.
void expect_sound_candidates(const std::string& text, std::size_t fewest) {
  SCOPED_TRACE(text);
  const Spec spec = all().spec(text);
  const auto env = all().env_factory(text)();
  RandomPolicy policy(spec);
  search::Alternatives alternatives(spec, policy);
  const ActionSpace space(spec);
  Batch row(spec.observation), action(spec.action), out(spec.action);
  action.resize(1);
  env->reset({.inputs = 1, .dynamics = 2}, row.append());
  Rng rng(3);
  std::size_t most = 0;
  Ask ask;
  for (End end = End::none; end == End::none && ask.sequence < 30; ++ask.sequence) {
    const ConstRow seen = std::as_const(row).row(0), own = std::as_const(action).row(0);
    space.sample(seen, action.row(0), rng);
    alternatives.propose(ask, seen, own, 12, rng.split(ask.sequence), out);
    ASSERT_LE(out.rows(), 12u);
    EXPECT_TRUE(search::same_row(std::as_const(out).row(0), own));
    for (std::size_t i = 0; i < out.rows(); ++i) {
      EXPECT_TRUE(space.legal(seen, std::as_const(out).row(i)));
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_FALSE(search::same_row(std::as_const(out).row(i), std::as_const(out).row(k)));
    }
    most = std::max(most, out.rows());
    row.clear();
    end = env->step(own, row.append()).end;
  }
  EXPECT_GE(most, fewest);
}

TEST(Alternatives, AreLegalAndDifferent) {
  expect_sound_candidates("toy_shop", 6);
  expect_sound_candidates("load_balance(servers=5,jobs=40)", 5);
  expect_sound_candidates("dag_scheduling(jobs=4,executors=6)", 10);
  for (const std::string& name : all().env_names())
    if (all().env(name).simulated()) expect_sound_candidates(name, 2);
}

TEST(Lookahead, GainsOnItsBase) {
  const std::string env = "load_balance(servers=4,jobs=40)";
  const double base = total(rewards(env, "random", 6));
  const double honest =
      total(rewards(env, "lookahead(base=shortest_queue,candidates=4,futures=6)", 6));
  const double clairvoyant =
      total(rewards(env, "lookahead(base=shortest_queue,candidates=4,clairvoyant=true)", 6));
  const double queue = total(rewards(env, "shortest_queue", 6));
  EXPECT_GT(honest, queue);
  EXPECT_GT(clairvoyant, honest);
  EXPECT_GT(total(rewards(env, "lookahead(base=random,candidates=4,futures=4)", 6)), base);
}

/// Decisions that are not looked at are the base's own.
TEST(Lookahead, LooksAtEveryKthDecision) {
  const std::string env = "load_balance(servers=4,jobs=40)";
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = 2});
  const auto stream = all().stream(env, source);
  const auto player =
      all().policy("lookahead(base=shortest_queue,candidates=4,every=5)", stream->spec());
  const auto base = all().policy("shortest_queue", stream->spec());
  Batch own(stream->spec().action);
  std::size_t changed = 0;
  play(*stream, *player, Rng(1), [&](const Decisions& d, const Batch& actions) {
    own.clear();
    own.resize(actions.rows());
    base->act(d, own);
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      if (search::same_row(std::as_const(own).row(i), actions.row(i))) continue;
      EXPECT_EQ(d.asked[i].sequence % 5, 0u);
      ++changed;
    }
  });
  EXPECT_GT(changed, 0u);
}

TEST(Lookahead, DoesNotDependOnSlots) {
  const std::string policy = "lookahead(base=fair,candidates=6,futures=2,every=3)";
  const std::string env = "dag_scheduling(jobs=3,executors=4)";
  EXPECT_EQ(rewards(env, policy, 4), rewards(env, policy, 4, 3));
}

TEST(Lookahead, RefusesWhatCannotBeCopied) {
  const Spec spec = all().spec("load_balance(servers=3)");
  const std::string policy = "lookahead(base=random)";
  Spec changed = spec;
  changed.traits.system = true;
  EXPECT_EQ(refusal(policy, changed),
            "lookahead: 'load_balance' is a running system, which cannot be copied");
  changed = spec;
  changed.traits.cloneable = false;
  EXPECT_EQ(refusal(policy, changed), "lookahead: 'load_balance(servers=3)' cannot be copied");
  changed = spec;
  changed.text.clear();
  EXPECT_EQ(refusal(policy, changed),
            "lookahead: 'load_balance' has no text here that it could be made of");
  EXPECT_EQ(refusal("lookahead", spec), "base: must be a policy, as in base=random");
  EXPECT_EQ(refusal("lookahead(base=random,futures=0)", spec), "futures = 0 is outside [1, 4096]");
}

TEST(Lookahead, RefusesABaseThatItCannotImprove) {
  const Spec spec = all().spec("load_balance(servers=3)");
  EXPECT_EQ(refusal("lookahead(base=lookahead(base=random))", spec),
            "base: must be a policy that does not look ahead itself, as in base=random");
  EXPECT_EQ(refusal("lookahead(base=least_wrk)", spec),
            "base: no policy 'least_wrk'; did you mean 'least_work'?");
}

/// The environments of roll-outs take legal actions for granted.
TEST(Lookahead, RefusesIllegalAnswersOfItsBase) {
  const auto told = [](const std::string& base) {
    try {
      static_cast<void>(
          rewards("load_balance(servers=3,jobs=9)", "lookahead(base=" + base + ")", 1));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::illegal_action);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(told("unruly"), "lookahead: base 'unruly' gives an illegal action");
  EXPECT_EQ(told("unruly(from=1)"), "the policy of a roll-out gives an illegal action");
}

TEST(Lookahead, RefusesRowsThatAreNotItsOwn) {
  const Spec spec = all().spec("load_balance(servers=3)");
  const auto env = all().env_factory("load_balance(servers=3)")();
  const auto policy = all().policy("lookahead(base=least_work)", spec);
  Decisions d(spec);
  Batch actions(spec.action);
  actions.resize(1);
  d.asked.push_back({.episode = {.inputs = 1}, .since_last = {}});
  EXPECT_THROW(policy->act(d, actions), Error);  // the episode has not begun
  policy->start(0, d.asked[0].episode, Rng(1));
  env->reset({.inputs = 2}, d.observation.append());
  try {
    policy->act(d, actions);
    FAIL() << "the row is of another episode";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::unavailable);
    EXPECT_EQ(std::string(e.what()),
              "lookahead: the row does not follow from its own answers, so it cannot look ahead");
  }
}

}  // namespace lookahead_test
}  // namespace park::test
