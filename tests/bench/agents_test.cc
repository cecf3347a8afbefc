// Suites with agents, without training any: their files, the scores of what was trained, commands as
// trainers, and what the folders of trainings say.
#include "park/bench/agents.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "park/bench/agent_figures.h"
#include "park/bench/bundled.h"
#include "park/bench/outside_trainer.h"
#include "park/bench/results_json.h"
#include "park/bench/results_parts.h"
#include "park/bench/score_figures.h"
#include "park/bench/trained_file.h"
#include "park/bench/verify.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "small_suite.h"

namespace park::bench {
namespace agents_test {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::string agents_suite(const std::string& agents, const std::string& training) {
  std::string text = small_suite_text();
  return text.insert(text.find("\"environments\""),
                     "\"agents\": [" + agents + "], \"training\": {" + training + "}, ");
}

const std::string kAgents =
    R"({"agent": "a", "train": "ppo"}, {"agent": "b", "command": ["sh", "-c", "x"], "policy": "p"})";
const std::string kTraining = R"("decisions": 10, "seeds": 2, "transfer": true)";

std::string wrong_with(const std::string& agents, const std::string& training) {
  try {
    static_cast<void>(parse_suite(agents_suite(agents, training), "s"));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

Suite suite() { return parse_suite(agents_suite(kAgents, kTraining), "s"); }

TEST(AgentSuite, IsReadAndWrittenAlike) {
  const Suite read = suite();
  ASSERT_EQ(read.agents.size(), 2u);
  EXPECT_EQ(read.agents[1].command, (Lines{"sh", "-c", "x"}));
  EXPECT_EQ(read.training.seeds, 2u);
  JsonWriter json, again;
  write_suite(json, read);
  const std::string text = json.take();
  write_suite(again, parse_suite(text, "s"));
  EXPECT_EQ(again.take(), text);
  EXPECT_NE(text.find("\"transfer\": true"), std::string::npos) << text;
}

TEST(AgentSuite, EveryMistakeIsNamed) {
  EXPECT_EQ(wrong_with("", kTraining), "s: agents and training come together");
  EXPECT_EQ(wrong_with(kAgents, R"("decisions": 0, "seeds": 1)"),
            "s: training.decisions: is not at least 1");
  const auto with = [](const std::string& agent) { return wrong_with(agent, kTraining); };
  EXPECT_EQ(with(R"({"agent": "../x", "train": "ppo"})"),
            "s: agents[0].agent: is no name of letters, digits, _ . and -");
  EXPECT_EQ(with(R"({"agent": "x"})"), "s: agents[0]: has not just one of train and command");
  EXPECT_EQ(with(R"({"agent": "x", "command": ["x"]})"),
            "s: agents[0].policy: must name the file that the command leaves");
  EXPECT_EQ(with(R"({"agent": "x", "command": ["x"], "policy": "p", "network": "mlp"})"),
            "s: agents[0]: baseline and network go with train");
  EXPECT_EQ(with(kAgents + R"(, {"agent": "a", "train": "a2c"})"), "s.agents: has \"a\" twice");
}

TEST(AgentSuite, BundledOnesHaveOneBudgetForTheEnvironmentsOfManyFolders) {
  for (const char* name : {"agents-quick", "agents"}) {
    const Suite bundled = read_suite(name);
    EXPECT_GT(bundled.agents.size(), 3u);
    EXPECT_FALSE(bundled.environments.empty());
    EXPECT_EQ(training_jobs(bundled).size(),
              bundled.agents.size() * bundled.environments.size() * bundled.training.seeds);
    EXPECT_EQ(changes_of_bundled(bundled), Lines{});
    Suite other = bundled;
    other.training.decisions += 1;
    ASSERT_EQ(changes_of_bundled(other).size(), 1u);
    EXPECT_TRUE(changes_of_bundled(other)[0].starts_with("suite: agents: recorded ppo: "));
  }
}

TEST(AgentSuite, TrainsOnWhatTheTuningSaysOfTrainingInputs) {
  SuiteEnv env{.name = "load_balance", .config = {{"servers", "3"}, {"jobs", "40"}}};
  EXPECT_EQ(env.training_text(), "load_balance(servers=3,jobs=40)");
  env.tuning.training = {{"jobs", "50"}};
  EXPECT_EQ(env.training_text(), "load_balance(servers=3,jobs=50)");
  EXPECT_EQ(env.validation_text(), env.training_text());
  env.tuning.validation = {{"interval_s", "9"}};
  EXPECT_EQ(env.validation_text(), "load_balance(servers=3,jobs=40,interval_s=9)");
}

/// The small results, with two agents of which the trainings are copies of policies: "a" of random and
/// least_work on the first environment, "b" of the best baselines on both.
BenchResults trained() {
  BenchResults results = played();
  results.suite = suite();
  const auto add = [&](const char* agent, std::uint64_t seed, std::size_t on, std::size_t env,
                       const std::string& like) {
    for (const Entry& entry : played().entries) {
      if (entry.env != env || entry.policy != like) continue;
      Entry copy = entry;
      copy.baseline = false;
      copy.policy = std::string(agent) + std::to_string(on) + std::to_string(seed);
      copy.training = {.agent = agent, .env = on, .seed = seed, .decisions = 10, .cpu_s = 2};
      results.entries.push_back(copy);
    }
  };
  add("a", 1, 0, 0, "random");
  add("a", 2, 0, 0, "least_work");
  add("b", 1, 0, 0, "least_work");
  add("b", 2, 0, 0, "least_work");
  add("b", 1, 0, 1, "random");
  add("b", 2, 0, 1, "random");
  add("b", 1, 1, 1, "round_robin");
  add("b", 2, 1, 1, "round_robin");
  results.unfit = {{"a", 1, "too small"}};
  return results;
}

TEST(AgentFigures, ScoreTrainingsBetweenRandomAndTheBestBaseline) {
  const AgentFigures figures = agent_figures(trained());
  ASSERT_EQ(figures.standings.size(), 4u);
  EXPECT_EQ(figures.standings[0].agent, "a");
  EXPECT_EQ(figures.standings[0].scores, (std::vector<double>{0, 1}));
  EXPECT_EQ(figures.standings[0].mean.value, 0.5);
  EXPECT_EQ(figures.standings[0].mean.interval.low, 0);
  EXPECT_EQ(figures.standings[0].mean.interval.high, 1);
  EXPECT_EQ(figures.standings[1].scores, (std::vector<double>{1, 1}));
  EXPECT_EQ(figures.standings[2].trained_on, 0u);  // b, trained on the first, in the second
  EXPECT_EQ(figures.standings[2].env, 1u);
  EXPECT_EQ(figures.standings[2].scores, (std::vector<double>{0, 0}));
}

TEST(AgentFigures, AcrossEnvironmentsAreThoseOfAgentsThatPlayedAll) {
  const AgentFigures figures = agent_figures(trained());
  ASSERT_EQ(figures.scores.size(), 2u);
  EXPECT_FALSE(figures.scores[0].everywhere);
  EXPECT_TRUE(figures.scores[1].everywhere);
  EXPECT_EQ(figures.scores[1].environments, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(figures.scores[1].iqm.value, 1);
  EXPECT_EQ(figures.scores[1].optimality_gap.value, 0);
  EXPECT_EQ(figures.costs[0].trainings, 2u);
  EXPECT_EQ(figures.costs[1].trainings, 4u);  // what plays elsewhere is no other training
  EXPECT_EQ(figures.costs[1].cpu_s, 8);
  for (const PolicyScores& one : score_figures(trained()).policies)
    EXPECT_FALSE(one.policy.starts_with("b")) << one.policy;  // a trained policy is no agent
}

TEST(AgentFigures, FollowFromTheRowsOfAFile) {
  const std::string text = results_json(trained());
  EXPECT_EQ(check_figures(text, "r"), Lines{});
  const BenchResults read = parse_results(text, "folder/results.json");
  EXPECT_EQ(read.folder, "folder");
  EXPECT_EQ(read.unfit.at(0).reason, "too small");
  std::string forged = text;
  const std::string cost = "\"trainings\": 4";
  forged.replace(forged.find(cost), cost.size(), "\"trainings\": 3");
  EXPECT_EQ(check_figures(forged, "r"),
            Lines{"agents.costs[1].trainings: is 3, but the rows give 4"});
}

std::string scratch(const std::string& name) {
  const fs::path path = fs::path(testing::TempDir()) / ("park_agents_" + name);
  fs::remove_all(path);
  fs::create_directories(path);
  return path.string();
}

const std::function<bool()> kNever = [] { return false; };

TEST(OutsideTrainer, TellsHowACommandEndedAndWhatItTook) {
  const std::string folder = scratch("command");
  const CommandEnd fails =
      run_command({"sh", "-c", "echo one; echo two >&2; exit 7"}, folder, kNever);
  EXPECT_EQ(fails.status, 7);
  EXPECT_EQ(fails.last_line, "two");
  EXPECT_FALSE(fails.stopped);
  const CommandEnd works =
      run_command({"sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"}, folder, kNever);
  EXPECT_EQ(works.status, 0);
  EXPECT_GT(works.cpu_s, 0);
  EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}, folder, kNever).status, 128 + 9);
  EXPECT_THROW(static_cast<void>(run_command({"/no/such/program"}, folder, kNever)), Error);
}

TEST(OutsideTrainer, IsStoppedWithWhatItStarted) {
  const std::string folder = scratch("stop");
  int asked = 0;
  const auto begin = std::chrono::steady_clock::now();
  const CommandEnd end =
      run_command({"sh", "-c", "sleep 60 & sleep 60"}, folder, [&] { return ++asked > 3; });
  EXPECT_TRUE(end.stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(TrainedFolders, AreNamedWhereTheyLackOrHoldAnotherTraining) {
  BenchResults results = small_results();
  results.suite = suite();
  results.suite.agents.erase(results.suite.agents.begin());  // the command
  results.suite.training.seeds = 1;
  results.folder = scratch("folders");
  const std::size_t policies = results.entries.size();
  const TrainingJob first{0, 0, 1}, second{0, 1, 1};
  const fs::path of_first = fs::path(results.folder) / job_folder(results.suite, first);
  fs::create_directories(of_first);
  TrainedFile file{.state = TrainedFile::State::ended,
                   .asked = asked_text(results.suite, first),
                   .training = {.agent = "b", .error = "it broke"}};
  write_trained(of_first, file);
  Lines lines;
  add_agents(small_registry(), results, lines);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(job_folder(results.suite, second)), std::string::npos) << lines[0];
  EXPECT_EQ(results.entries.size(), policies + 1);  // the other setting has another layout
  const auto failed = std::ranges::find_if(
      results.entries, [](const Entry& entry) { return entry.training.has_value(); });
  try {
    static_cast<void>(playable(results, *failed));
    ADD_FAILURE() << "a training that failed has no policy";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "it broke");
  }
  file.asked += ", of another suite";
  write_trained(of_first, file);
  BenchResults other = small_results();
  other.suite = results.suite;
  other.folder = results.folder;
  lines.clear();
  add_agents(small_registry(), other, lines);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            job_folder(other.suite, first) + ": was another training than the suite asks for");
}

}  // namespace agents_test
}  // namespace park::bench
