// Expressions: what they are refused for, and that answering them allocates nothing once warm.
#include "park/judge/expression.h"

#include <gtest/gtest.h>

#include <string>

#include "park/core/pool.h"
#include "park/envs/envs.h"
#include "park/judge/candidate.h"
#include "tests/kit/memory.h"

namespace park::judge {
namespace expression_test {

const Spec& spec_of(const std::string& env) {
  static std::map<std::string, Spec> all;
  if (!all.contains(env)) {
    Registry registry;
    envs::register_all(registry);
    all.emplace(env, registry.spec(env));
  }
  return all.at(env);
}

std::string refusal(const std::string& text, const std::string& env = "dag_scheduling(jobs=3)") {
  const Contract contract(spec_of(env));
  try {
    const ExpressionPlayer player(text, "x.expr", contract);
  } catch (const Refused& refused) {
    return refused.what();
  }
  return "";
}

constexpr const char* kGood =
    "# a comment\n"
    "left = job.work_left_s / 1000   # of the stage's job\n"
    "stage = job.source\n"
    "stage = -left\n"
    "limit = cluster.executors#sum / 2\n";

TEST(Expression, IsRefusedInOneLineThatNamesTheLine) {
  EXPECT_EQ(refusal(kGood), "");
  EXPECT_NE(refusal("stage = 1 +\nlimit = 1").find("x.expr:1: "), std::string::npos);
  EXPECT_NE(refusal("stage = nothing.like_it\nlimit = 1").find("x.expr:1: "), std::string::npos);
  EXPECT_NE(refusal("stage job.source\nlimit = 1").find("NAME = EXPRESSION"), std::string::npos);
  EXPECT_NE(refusal("stage = 1").find("limit"), std::string::npos);
  EXPECT_NE(refusal("stage = 1\nlimit = 1\nlimit = 2").find("needs 1 line"), std::string::npos);
  EXPECT_NE(refusal("wish[3] = 1\nstage = 1\nlimit = 1").find("is no head"), std::string::npos);
  EXPECT_NE(refusal("limit[x] = 1\nstage = 1").find("no component"), std::string::npos);
}

TEST(Expression, LaterLinesOfAHeadBreakTies) {
  const Spec& spec = spec_of("dag_scheduling(jobs=3)");
  const trees::TreeFile file = parse_expressions(kGood, "x.expr", spec);
  ASSERT_EQ(file.heads.size(), 2u);
  const trees::HeadTrees& stage = file.heads[1];
  EXPECT_EQ(stage.name, "stage");
  ASSERT_EQ(stage.levels.size(), 1u);
  EXPECT_EQ(stage.levels[0].ties.size(), 1u);
  EXPECT_FALSE(stage.levels[0].ties[0].up);
}

TEST(Expression, AnsweringAllocatesNothingOnceWarm) {
  Registry registry;
  envs::register_all(registry);
  const EnvOfText env = registry.env("dag_scheduling(jobs=4)");
  const Spec spec = env.spec();
  const Contract contract(spec);
  ExpressionPlayer player(kGood, "x.expr", contract);
  const auto simulated = env.factory()();
  Batch rows(spec.observation), actions(spec.action);
  std::string questions, answers;
  std::size_t decisions = 0, allocations = 0;
  for (std::uint64_t episode = 0; episode < 2; ++episode) {  // the second one finds all warm
    rows.clear();
    simulated->reset({.inputs = 5, .dynamics = 6}, rows.append());
    for (bool more = true; more;) {
      const std::uint32_t one = 1;
      questions.assign(reinterpret_cast<const char*>(&one), sizeof one);
      contract.pack(std::as_const(rows).row(0), questions);
      {
        const test::AllocationCount count;
        player.answer(questions, answers);
        if (episode == 1) allocations += count.count(), ++decisions;
      }
      actions.clear();
      actions.resize(1);
      contract.unpack_action(std::string_view(answers).substr(sizeof one + 1), actions.row(0));
      const ConstRow action = std::as_const(actions).row(0);
      ASSERT_EQ(contract.illegal(std::as_const(rows).row(0), action), "");
      rows.clear();
      more = simulated->step(action, rows.append()).end == End::none;
    }
  }
  EXPECT_GT(decisions, 20u);
  EXPECT_EQ(allocations, 0u);
}

}  // namespace expression_test
}  // namespace park::judge
