// Judgements of expressions and of Python: scores, verdicts, differences, feedback, and what each known
// cheat comes to.
#include "park/judge/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "park/core/error.h"
#include "park/core/text.h"
#include "tests/judge/guessing.h"

namespace park::judge {
namespace judge_test {

using test::guessing_plan;

constexpr const char* kHonest = R"(
def decide(row):
    clue = row["clue"]
    return clue.index(max(clue))
)";

Judgement judged(const JudgePlan& plan) {
  static const Registry registry = test::guessing_registry();
  return judge(registry, plan);
}
Judgement python(const std::string& source) { return judged(guessing_plan(Kind::python, source)); }
Judgement expression(const std::string& source) {
  return judged(guessing_plan(Kind::expression, source));
}

bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Judge, AHeuristicLikeTheBestOneIsWorthOne) {
  for (const Judgement& j : {python(kHonest), expression("door = clue")}) {
    EXPECT_EQ(j.verdict, Verdict::valid) << j.why;
    EXPECT_DOUBLE_EQ(j.score, 1);
    EXPECT_DOUBLE_EQ(j.interval.low, 1);
    EXPECT_EQ(j.metric.name, "found");
    const SetJudgement& set = j.sets.at(0);
    EXPECT_EQ(set.match.failed(), 0u);
    EXPECT_DOUBLE_EQ(set.differences.at(1).difference.mean, 0);
    EXPECT_EQ(set.differences.at(1).losses, 0u);
    EXPECT_GT(set.match.answer_s, 0);
    EXPECT_GE(set.match.decisions, 6u * test::Guessing::kGuesses);
  }
}

TEST(Judge, AWorseHeuristicScoresBelowOneAndAboveAFailure) {
  const Judgement j = expression("door = -clue");
  EXPECT_EQ(j.verdict, Verdict::valid);
  EXPECT_GT(j.score, 0.05);
  EXPECT_LT(j.score, 0.6);
  EXPECT_LT(j.sets[0].differences.at(1).difference.mean, 0);
  EXPECT_TRUE(tells(j.feedback, "largest is better on 6 of 6 inputs")) << j.feedback;
  EXPECT_TRUE(tells(j.feedback, "worst inputs:")) << j.feedback;
}

TEST(Judge, ScoresFollowTheFormula) {
  const Judgement j = expression("door = -clue");
  const SetJudgement& set = j.sets[0];
  const Rival& random = set.differences[0].rival;
  const Rival& best = set.differences[1].rival;
  for (std::size_t i = 0; i < set.scores.size(); ++i) {
    const double x = (set.match.inputs[i].value - best.values[i]) / (best.mean - random.mean);
    EXPECT_DOUBLE_EQ(set.scores[i], x >= 0 ? 1 + x : 1 / (1 - x));
  }
}

TEST(Judge, ValidationInputsRepeatAndHiddenOnesAreDrawnAnew) {
  JudgePlan plan = guessing_plan(Kind::expression, "door = clue");
  plan.set = Set::hidden;
  const Judgement a = judged(plan), b = judged(plan);
  EXPECT_EQ(a.sets.at(0).digest, b.sets.at(0).digest);
  EXPECT_NE(a.sets.at(1).digest, b.sets.at(1).digest);
  plan.hidden_seed = a.sets[1].seed;
  EXPECT_EQ(judged(plan).sets[1].digest, a.sets[1].digest);
}

TEST(Judge, NothingOfHiddenInputsIsTold) {
  JudgePlan plan = guessing_plan(Kind::expression, "door = -clue");
  plan.set = Set::hidden;
  plan.hidden_seed = 77;
  const Judgement a = judged(plan);
  plan.hidden_seed = 78;
  EXPECT_EQ(judged(plan).feedback, a.feedback);
  const auto json = nlohmann::json::parse(judgement_json(plan, a, false));
  EXPECT_FALSE(json["sets"][1].contains("seed"));
  EXPECT_TRUE(nlohmann::json::parse(judgement_json(plan, a, true))["sets"][1].contains("seed"));
}

TEST(Judge, JsonHasWhatLoopsNeed) {
  const JudgePlan plan = guessing_plan(Kind::expression, "door = -clue");
  const auto json = nlohmann::json::parse(judgement_json(plan, judged(plan), false));
  EXPECT_GE(json["score"].get<double>(), 0);
  EXPECT_EQ(json["verdict"], "valid");
  EXPECT_EQ(json["interval"].size(), 2u);
  EXPECT_FALSE(json["feedback"].get<std::string>().empty());
  EXPECT_TRUE(json["metrics"]["us_per_decision"].is_number());
  EXPECT_EQ(json["sets"][0]["differences"][1]["role"], "heuristic");
  EXPECT_TRUE(json["sets"][0]["inputs_intact"].get<bool>());
}

TEST(Judge, AScoreBeyondTheBoundIsRefused) {
  JudgePlan plan = guessing_plan(Kind::expression, "door = clue");
  plan.rivals.push_back({.policy = "smallest", .role = Rival::Role::bound});
  const Judgement j = judged(plan);
  EXPECT_EQ(j.verdict, Verdict::above_bound);
  EXPECT_EQ(j.score, 0);
  EXPECT_TRUE(tells(j.why, "which nothing can beat")) << j.why;
}

TEST(Judge, AClaimBeyondTheBoundIsRefused) {
  JudgePlan plan = guessing_plan(Kind::expression, "door = -clue");
  plan.rivals.push_back({.policy = "largest", .role = Rival::Role::bound});
  plan.claim = 0.2;
  EXPECT_EQ(judged(plan).verdict, Verdict::valid);
  plan.claim = 0.99;
  const Judgement j = judged(plan);
  EXPECT_EQ(j.verdict, Verdict::above_bound);
  EXPECT_TRUE(tells(j.why, "the claim 0.99")) << j.why;
}

/// The first clue of an input.
double first_clue(const Episode& episode) {
  const Spec spec = test::Guessing::spec({});
  test::Guessing game({});
  Batch rows(spec.observation);
  game.reset(episode, rows.append());
  return std::as_const(rows).row(0)[bind_layout<test::GuessingLayout>(spec).clue][0];
}

TEST(Judge, TheSetThatFailedIsNamedAndCounted) {
  JudgePlan plan = guessing_plan(Kind::python, "");
  const double clue = first_clue(draw_inputs(Set::validation, plan.seed, plan.inputs).front());
  plan.candidate.text =
      "def decide(row):\n    return 3 if row['clue'][0] == " + number_text(clue) + " else 0\n";
  plan.set = Set::hidden;
  const Judgement one = judged(plan);
  EXPECT_EQ(one.sets.at(1).match.failed(), 0u);
  EXPECT_EQ(one.verdict, Verdict::failed_inputs);
  EXPECT_EQ(one.why, "1 of 6 validation inputs are failed and count as the worst");
  plan.candidate.text = "def decide(row):\n    return 3\n";
  EXPECT_EQ(judged(plan).why,
            "6 of 6 validation and 6 of 6 hidden inputs are failed and count as the worst");
}

// Each known cheat ends with the worst: inputs that it fails are worth 0, or all of it is.

TEST(Cheats, RaisingOnHardInputsCountsEachAsTheWorst) {
  const Judgement j = python(R"(
def decide(row):
    clue = row["clue"]
    if max(clue) < 0.2:
        raise RuntimeError("too hard")
    return clue.index(max(clue))
)");
  EXPECT_EQ(j.verdict, Verdict::failed_inputs);
  const SetJudgement& set = j.sets[0];
  ASSERT_GT(set.match.failed(), 0u);
  for (std::size_t i = 0; i < set.scores.size(); ++i)
    EXPECT_EQ(set.scores[i] == 0, !set.match.inputs[i].failure.empty());
  EXPECT_LT(j.score, 1);
  EXPECT_TRUE(tells(j.feedback, "RuntimeError: too hard (line 5)")) << j.feedback;
}

TEST(Cheats, EditingTheInputsChangesACopy) {
  const Judgement j = python(R"(
def decide(row):
    try:
        row._columns[0][:] = bytes(12)
    except TypeError:
        pass
    row["clue"][:] = [1, 0, 0]
    row._counts = (1,)
    return 0
)");
  EXPECT_EQ(j.score, expression("door = -#value").score);
}

TEST(Cheats, OwnNumbersAreNoAnswer) {
  const Judgement j =
      python("def decide(row):\n    return {'door': 0, 'score': 1e9, 'combined_score': 1e9}\n");
  EXPECT_EQ(j.score, 0);
  EXPECT_EQ(j.sets[0].match.failed(), 6u);
}

TEST(Cheats, ThereIsNoSimulatorToPatch) {
  EXPECT_EQ(python("import park_sdk\npark_sdk.step = None\n" + std::string(kHonest)).verdict,
            Verdict::refused);
  // Changing the runner changes the candidate's own answers, which are then none.
  const Judgement j =
      python("import sys\nsys.modules['__main__'].answer = lambda *all: b'score 9'\n" +
             std::string(kHonest));
  EXPECT_EQ(j.score, 0);
  EXPECT_TRUE(tells(j.feedback, "it speaks for itself")) << j.feedback;
}

TEST(Cheats, AnswersAndFilesCannotBeRead) {
  const Judgement info = python("def decide(row):\n    return row['info.prize']\n");
  EXPECT_EQ(info.score, 0);
  EXPECT_TRUE(tells(info.feedback, "KeyError")) << info.feedback;
  EXPECT_EQ(expression("door = info.prize").verdict, Verdict::refused);
  const Judgement file = python("answers = open('/etc/hostname').read()\n" + std::string(kHonest));
  EXPECT_EQ(file.verdict, Verdict::refused);
  EXPECT_TRUE(tells(file.feedback, "PermissionError")) << file.feedback;
}

TEST(Cheats, AnOwnHarnessOnlySpeaksOutOfTurn) {
  const Judgement j = python(R"(
import os, struct
os.write(3, struct.pack("<II", 5, 12) + struct.pack("<Id", 1, 1e9))
)" + std::string(kHonest));
  EXPECT_EQ(j.verdict, Verdict::refused);
  EXPECT_EQ(j.score, 0);
}

TEST(Cheats, NeverReturningFailsWhatIsNotFinished) {
  JudgePlan plan = guessing_plan(Kind::python, "def decide(row):\n    while True:\n        pass\n");
  plan.limits.answer_s = 1;
  const Judgement j = judged(plan);
  EXPECT_EQ(j.score, 0);
  EXPECT_TRUE(tells(j.feedback, "no answer within 1 s")) << j.feedback;
  plan.candidate.text = "while True:\n    pass\n";
  EXPECT_EQ(judged(plan).verdict, Verdict::refused);
}

TEST(Cheats, AnsweringDifferentlyTwiceIsRefused) {
  const Judgement j = python(R"(
calls = 0
def decide(row):
    global calls
    calls += 1
    return calls % 3
)");
  EXPECT_EQ(j.verdict, Verdict::inconsistent);
  EXPECT_EQ(j.score, 0);
}

TEST(Cheats, ACrashFailsWhatIsNotFinished) {
  const Judgement j = python("import ctypes\ndef decide(row):\n    return ctypes.string_at(0)\n");
  EXPECT_EQ(j.score, 0);
  EXPECT_TRUE(tells(j.feedback, "signal 11")) << j.feedback;
}

TEST(Cheats, IllegalActionsFailTheirInput) {
  for (const char* answer : {"3", "-1", "0.5", "None", "'0'", "10**30"}) {
    const Judgement j = python("def decide(row):\n    return " + std::string(answer) + '\n');
    EXPECT_EQ(j.sets[0].match.failed(), 6u) << answer;
    EXPECT_EQ(j.score, 0);
  }
}

TEST(Sandbox, ACandidateHasNoEnvironmentNetworkProcessesOrMuchMemory) {
  const auto refused = [](const std::string& source) {
    const Judgement j = python(source + std::string(kHonest));
    EXPECT_EQ(j.verdict, Verdict::refused) << source;
    return j.feedback;
  };
  EXPECT_TRUE(tells(refused("import os\nos.fork()\n"), "PermissionError"));
  EXPECT_TRUE(tells(refused("import os\nos.kill(os.getppid(), 9)\n"), "PermissionError"));
  EXPECT_TRUE(tells(refused("import os\nos.execv('/bin/true', ['true'])\n"), "PermissionError"));
  EXPECT_TRUE(tells(refused("x = bytearray(2 << 30)\n"), "MemoryError"));
  EXPECT_TRUE(tells(refused("import ctypes\n"
                            "if ctypes.CDLL(None).socket(2, 1, 0) < 0: raise OSError('none')\n"),
                    "none"));
  EXPECT_EQ(python("import os\nassert not os.environ\n" + std::string(kHonest)).verdict,
            Verdict::valid);
}

}  // namespace judge_test
}  // namespace park::judge
