// A network that imitates a heuristic comes to decide as it does, where either of them plays.
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/network_policy.h"
#include "agents/kit/optimiser.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/pupil.h"
#include "park/envs/envs.h"
#include "park/runs/mixture.h"

namespace park::agents {
namespace imitation_test {

constexpr const char* kEnv = "load_balance(servers=3,rates=[2,3,4],jobs=100)";
constexpr const char* kOther = "load_balance(servers=3,rates=[4,2,3],jobs=50)";
constexpr const char* kTeacher = "least_work";

/// How often a policy answers as the teacher does.
struct Agreement {
  double decisions = 0, equal = 0;
  [[nodiscard]] double share() const { return equal / decisions; }
};

class Imitation : public ::testing::TestWithParam<const char*> {
 protected:
  Imitation() { envs::register_all(registry_); }

  std::unique_ptr<Algorithm> algorithm(const runs::Mixture& mixture = {},
                                       const std::string& teachers = kTeacher,
                                       const std::string& fields = "") const {
    return make_algorithm(
        registry_,
        {.env = kEnv,
         .algorithm = "ppo(sequences=4,rollouts=4,imitation_rate=0.01" + fields + ")",
         .baseline = "none",
         .network = "scorer",
         .guidance = {.imitate = teachers,
                      .imitate_iterations = kIterations,
                      .imitate_along = GetParam()},
         .mixture = mixture},
        3);
  }

  /// On unseen inputs, along the trajectories of the student or of the teacher.
  Agreement agreement(const State& weights, bool along_learner, const char* env = kEnv,
                      const char* teacher_text = kTeacher) const {
    const Spec spec = registry_.spec(env);
    auto net = make_network("scorer", spec, Role::policy, Rng(99));
    {
      const c10::NoGradGuard off;
      const State to = state_of(*net);
      for (std::size_t i = 0; i < to.size(); ++i) at::Tensor(to[i].second).copy_(weights[i].second);
    }
    NetworkPolicy student(spec, net, false);
    const auto teacher = registry_.policy(teacher_text, spec);
    Agreement all;
    const Heads heads(spec);
    Batch answers(spec.action);
    Pupil pupil(
        spec, *teacher, along_learner ? &student : nullptr,
        [&](const Decisions& d, const Batch& of_teacher) {
          answers.clear();
          answers.resize(d.asked.size());
          student.act(d, answers);
          for (std::size_t r = 0; r < d.asked.size(); ++r) {
            all.decisions += 1;
            if (heads.get(of_teacher.row(r), 0) == heads.get(std::as_const(answers).row(r), 0))
              all.equal += 1;
          }
        });
    const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = 10});
    play(*registry_.stream(env, source, {.slots = 10}), pupil, Rng(1),
         [](const Decisions&, const Batch&) {});
    return all;
  }

  static constexpr std::int64_t kIterations = 30;
  Registry registry_;
};

TEST_P(Imitation, AgreesWithTheTeacher) {
  const auto learner = algorithm();
  EXPECT_LT(agreement(learner->policy(), false).share(), 0.7);
  double first = 0, last = 0;
  for (std::int64_t i = 0; i < kIterations; ++i) {
    const runs::IterationReport report = learner->iterate(i, 0.01 * static_cast<double>(i));
    EXPECT_TRUE(report.imitating);
    EXPECT_DOUBLE_EQ(report.learning_rate, 0.01);
    if (i == 0) first = report.imitation_loss;
    last = report.imitation_loss;
  }
  EXPECT_LT(last, 0.5 * first);
  EXPECT_GT(agreement(learner->policy(), false).share(), 0.9);
  EXPECT_GT(agreement(learner->policy(), true).share(), 0.9);
  EXPECT_FALSE(learner->iterate(kIterations, 0.5).imitating);
}

/// The first rows are the same, so after them the one that saw them more often is better.
TEST_P(Imitation, LearnsMoreOfDecisionsThatItSeesMoreOften) {
  const auto once = algorithm(), often = algorithm({}, kTeacher, ",imitation_epochs=6");
  EXPECT_DOUBLE_EQ(once->iterate(0, 0).imitation_loss, often->iterate(0, 0).imitation_loss)
      << "the first pass is told";
  EXPECT_LT(often->iterate(1, 0.01).imitation_loss, 0.9 * once->iterate(1, 0.01).imitation_loss);
}

/// Each environment of a mixture has its own teacher.
TEST_P(Imitation, AgreesWithTheTeacherInEachEnvironmentOfAMixture) {
  const auto learner = algorithm({.parts = runs::mixture_text({{kEnv}, {kOther, 2}})});
  for (const char* env : {kEnv, kOther})
    EXPECT_LT(agreement(learner->policy(), false, env).share(), 0.8) << env;
  for (std::int64_t i = 0; i < kIterations; ++i)
    static_cast<void>(learner->iterate(i, 0.01 * static_cast<double>(i)));
  for (const char* env : {kEnv, kOther})
    for (const bool along_learner : {false, true})
      EXPECT_GT(agreement(learner->policy(), along_learner, env).share(), 0.9) << env;
}

/// The first rates tell the learner whom to imitate.
TEST_P(Imitation, AgreesWithTheTeacherOfEachEnvironment) {
  constexpr const char* kSecond = "size_interval";
  const auto learner = algorithm({.parts = runs::mixture_text({{kEnv}, {kOther}})},
                                 std::string(kTeacher) + ',' + kSecond);
  for (std::int64_t i = 0; i < kIterations; ++i)
    static_cast<void>(learner->iterate(i, 0.01 * static_cast<double>(i)));
  const double own = agreement(learner->policy(), false, kOther, kSecond).share();
  EXPECT_GT(own, 0.1 + agreement(learner->policy(), false, kOther, kTeacher).share());
  EXPECT_GT(agreement(learner->policy(), false).share(), 0.9);
  EXPECT_LT(agreement(learner->policy(), false, kEnv, kSecond).share(), own - 0.1);
}

/// Asks for as many executors as there may be, whatever the stage can use.
class Greedy final : public Policy {
 public:
  explicit Greedy(const Spec& spec) : heads_(spec) {}
  void act(const Decisions& d, Batch& actions) override {
    Candidates c;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      heads_.candidates(h, d.observation, actions, c);
      for (std::size_t r = 0; r < c.rows(); ++r)
        heads_.set(actions.row(r), h, c.value[static_cast<std::size_t>(c.offsets[r + 1]) - 1]);
    }
  }

 private:
  Heads heads_;
};

/// A number that the network does not tell apart from the teacher's is a right answer.
TEST(ImitationTeachers, MayAskForMoreThanThereIsToDo) {
  Registry registry;
  envs::register_all(registry);
  registry.add_policy_loader(
      {.takes = [](const std::string& name) { return name == "greedy"; },
       .fields = [] { return std::vector<FieldInfo>(); },
       .make = [](const Value&, const Spec& spec) -> std::unique_ptr<Policy> {
         return std::make_unique<Greedy>(spec);
       }});
  const auto learner = make_algorithm(
      registry,
      {.env = "dag_scheduling(executors=40,jobs=3)",
       .algorithm = "ppo(sequences=4,rollouts=2,imitation_rate=0.02)",
       .baseline = "none",
       .network = "cluster_features",
       .guidance = {.imitate = "greedy", .imitate_iterations = 8, .imitate_along = "teacher"}},
      3);
  runs::IterationReport report;
  for (std::int64_t i = 0; i < 8; ++i) report = learner->iterate(i, 0);
  const auto limit =
      std::ranges::find(report.own, "agreement.limit", [](const auto& a) { return a.first; });
  ASSERT_NE(limit, report.own.end());
  EXPECT_GT(limit->second, 0.95) << report.imitation_loss;
}

TEST(ImitationTeachers, AreOneForAllOrOneForEach) {
  const runs::Guidance guidance{.imitate = "a(b=1,c=2),d"};
  EXPECT_EQ(guidance.teachers(2), (std::vector<std::string>{"a(b=1,c=2)", "d"}));
  EXPECT_EQ(runs::Guidance{.imitate = "a"}.teachers(3), std::vector<std::string>(3, "a"));
  EXPECT_TRUE(runs::Guidance{}.teachers(3).empty());
  try {
    static_cast<void>(guidance.teachers(3));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "teachers: 2, environments: 3; allowed are one teacher for all and one for each");
  }
}

INSTANTIATE_TEST_SUITE_P(Along, Imitation, ::testing::Values("learner", "teacher"),
                         [](const auto& i) { return std::string(i.param); });

}  // namespace imitation_test
}  // namespace park::agents
