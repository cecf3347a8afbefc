// What an algorithm says that lasts is all that lasts: restored into a new one, training goes on
// bit by bit.
#include <ATen/ops/equal.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "park/envs/envs.h"
#include "park/runs/mixture.h"
#include "park/trees/tree_file.h"
#include "tests/kit/temporary_file.h"

namespace park::agents {
namespace resume_test {

struct Parts {
  std::string baseline, network = "cluster_features";
  friend std::ostream& operator<<(std::ostream& out, const Parts& p) {
    return out << p.baseline << " and " << p.network;
  }
};

class Resume : public ::testing::TestWithParam<Parts> {
 protected:
  Resume() { envs::register_all(registry_); }

  std::unique_ptr<Algorithm> make(const std::string& algorithm) {
    return make_algorithm(
        registry_,
        {.env = "dag_scheduling(executors=4,jobs=3)",
         .algorithm = algorithm + "(sequences=2,rollouts=3,minibatch=64,average_reward=true,"
                                  "average=0.5,first_horizon_s=10,last_horizon_s=60)",
         .baseline = GetParam().baseline,
         .network = GetParam().network},
        3);
  }
  static State all(Algorithm& algorithm) {
    State state = algorithm.policy();
    for (auto& item : algorithm.training()) state.push_back(item);
    return state;
  }
  static void iterate(Algorithm& algorithm, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i)
      static_cast<void>(algorithm.iterate(i, 0.25 * static_cast<double>(i)));
  }
  static void expect_equal(const State& a, const State& b, bool equal = true) {
    ASSERT_EQ(a.size(), b.size());
    bool same = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].first, b[i].first);
      const bool one = at::equal(a[i].second, b[i].second);
      same = same && one;
      if (equal) {
        EXPECT_TRUE(one) << a[i].first;
      }
    }
    EXPECT_EQ(same, equal);
  }

  Registry registry_;
};

TEST_P(Resume, EqualsUninterrupted) {
  for (const char* name : {"reinforce", "a2c", "ppo"}) {
    SCOPED_TRACE(name);
    const auto whole = make(name);
    iterate(*whole, 0, 2);
    State saved = all(*whole);
    for (auto& [key, tensor] : saved) tensor = tensor.detach().clone();
    iterate(*whole, 2, 4);
    expect_equal(saved, all(*whole), false);

    const auto resumed = make(name);
    {
      const c10::NoGradGuard off;
      const State to = all(*resumed);
      ASSERT_EQ(to.size(), saved.size());
      for (std::size_t i = 0; i < to.size(); ++i) at::Tensor(to[i].second).copy_(saved[i].second);
    }
    iterate(*resumed, 2, 4);
    expect_equal(all(*resumed), all(*whole));
  }
}

/// Two iterations that imitate, then some that follow rewards, with demonstrations and exploration.
class Guided : public Resume {
 protected:
  std::unique_ptr<Algorithm> guided(const std::string& algorithm, const std::string& along) {
    return make_algorithm(
        registry_,
        {.env = kServers,
         .algorithm = algorithm + "(sequences=2,rollouts=2,minibatch=64,average=0.5)",
         .baseline = GetParam().baseline,
         .network = GetParam().network,
         .guidance = {.imitate = "least_work",
                      .imitate_iterations = 2,
                      .imitate_along = along,
                      .replay = 0.3,
                      .explore = rules_.path(),
                      .explore_share = 0.5}},
        3);
  }
  static State copy(const State& from) {
    State to;
    for (const auto& [name, tensor] : from) to.emplace_back(name, tensor.detach().clone());
    return to;
  }
  static void restore(const State& from, const State& to) {
    const c10::NoGradGuard off;
    ASSERT_EQ(to.size(), from.size());
    for (std::size_t i = 0; i < to.size(); ++i) at::Tensor(to[i].second).copy_(from[i].second);
  }

  static constexpr const char* kServers = "load_balance(servers=3,jobs=40)";
  const park::test::TemporaryFile rules_{
      "park-tree 1\nenv load_balance layout " + layout_text(registry_.spec(kServers)) +
      "\nhead server\n  rule \"idle\": server.jobs < 0.5\n  level values: 1\n"};
};

TEST_P(Guided, EqualsUninterruptedFromEveryPoint) {
  constexpr std::int64_t kEnd = 5;
  const std::vector<std::pair<std::string, std::string>> kinds{{"reinforce", "teacher"},
                                                               {"ppo", "learner"}};
  for (const auto& [name, along] : kinds) {
    SCOPED_TRACE(name + " along the " + along);
    const auto whole = guided(name, along);
    std::vector<State> saved;
    for (std::int64_t i = 0; i < kEnd; ++i) {
      saved.push_back(copy(all(*whole)));
      iterate(*whole, i, i + 1);
      expect_equal(saved.back(), all(*whole), false);
    }
    for (std::int64_t stop = 1; stop < kEnd; ++stop) {
      SCOPED_TRACE(stop);
      const auto resumed = guided(name, along);
      restore(saved[static_cast<std::size_t>(stop)], all(*resumed));
      iterate(*resumed, stop, kEnd);
      expect_equal(all(*resumed), all(*whole));
    }
  }
}

TEST_P(Guided, AdamBeginsAnewWhereRewardsBegin) {
  const auto steps = [](Algorithm& algorithm) {
    for (const auto& [name, tensor] : algorithm.training())
      if (name == "optimiser.steps") return tensor.item<std::int64_t>();
    return std::int64_t{-1};
  };
  const auto algorithm = guided("reinforce", "learner");
  iterate(*algorithm, 0, 2);
  EXPECT_GT(steps(*algorithm), 2);
  iterate(*algorithm, 2, 3);
  EXPECT_EQ(steps(*algorithm), 1);
  iterate(*algorithm, 3, 4);
  EXPECT_EQ(steps(*algorithm), 2);
}

/// A critic knows the policy that rewards are to improve.
TEST_P(Guided, TheBaselineLearnsWhileImitating) {
  const auto algorithm = guided("ppo", "learner");
  const auto of_baseline = [&] {
    State all;
    for (const auto& item : algorithm->training())
      if (item.first.starts_with("baseline.")) all.push_back(item);
    return copy(all);
  };
  const State before = of_baseline();
  ASSERT_FALSE(before.empty());
  iterate(*algorithm, 0, 1);
  expect_equal(before, of_baseline(), false);
}

INSTANTIATE_TEST_SUITE_P(Baselines, Guided,
                         ::testing::Values(Parts{"value", "mlp"},
                                           Parts{"meta(inner_steps=2)", "mlp"}),
                         [](const auto& i) { return "number" + std::to_string(i.index); });

constexpr const char* kMemory = "cluster_features(memory=4,embedding=4)";
INSTANTIATE_TEST_SUITE_P(
    Baselines, Resume,
    ::testing::Values(Parts{"none"}, Parts{"value"}, Parts{"value(sequence_mean=true)"},
                      Parts{"sequence_mean"}, Parts{"multi_value(functions=3)"},
                      Parts{"meta(inner_steps=2)"}, Parts{"sequence_mean", kMemory},
                      Parts{"value", kMemory}),
    [](const auto& i) { return "number" + std::to_string(i.index); });

TEST(TrainingTexts, ThatDoNotFitAreNamed) {
  Registry registry;
  envs::register_all(registry);
  const auto message = [&](const runs::TrainingTexts& texts) -> std::string {
    try {
      static_cast<void>(canonical(registry, texts));
      return "";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::invalid_config);
      return e.what();
    }
  };
  const std::string env = "dag_scheduling(executors=4,jobs=3)";
  EXPECT_EQ(message({.env = env, .algorithm = "reinforce(rollouts=1)", .baseline = "meta"}),
            "rollouts: this baseline needs at least 2 of each sequence");
  EXPECT_EQ(message({.env = env, .algorithm = "ppo(rollouts=1)", .baseline = "sequence_mean"}),
            "rollouts: this baseline needs at least 2 of each sequence");
  EXPECT_EQ(message({.env = env, .algorithm = "ppo(rollouts=1)", .baseline = "value"}), "");
  EXPECT_EQ(message({.env = env, .algorithm = "ppo(first_horizon_s=10)"}),
            "last_horizon_s: has to be a number with first_horizon_s, because horizon_s of '" +
                env + "' is inf");
  const std::string short_env = "dag_scheduling(executors=4,jobs=3,horizon_s=100)";
  EXPECT_EQ(message({.env = short_env, .algorithm = "ppo(first_horizon_s=10)"}), "");
  EXPECT_EQ(message({.env = short_env, .algorithm = "ppo(first_horizon_s=200)"}),
            "first_horizon_s: has to be at most horizon_s of '" + short_env + "', 100");
  EXPECT_EQ(message({.env = env, .algorithm = "ppo(first_horizon_s=9,last_horizon_s=8)"}),
            "first_horizon_s: has to be at most last_horizon_s");
  // Each environment of a mixture counts.
  const runs::Mixture mixture{.parts = runs::mixture_text({{short_env, 1}, {env, 1}})};
  EXPECT_EQ(message({.env = short_env, .algorithm = "ppo(first_horizon_s=10)", .mixture = mixture}),
            "last_horizon_s: has to be a number with first_horizon_s, because horizon_s of '" +
                env + "' is inf");
  EXPECT_EQ(message({.env = short_env,
                     .algorithm = "ppo(first_horizon_s=10,last_horizon_s=50)",
                     .mixture = mixture}),
            "");
}

}  // namespace resume_test
}  // namespace park::agents
