// `park attack`: the object has the published keys, bad input is one line with exit code 2, and an
// interrupt keeps the targets that were judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace attack_command_test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words command(const Words& more) {
  Words all{"attack",     "load_balance(servers=3,jobs=12)",
            "--policy",   "shortest_expected_delay",
            "--practice", "2",
            "--fresh",    "2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Attack, TellsTheVictimAndTheNull) {
  const Words words =
      command({"--mode", "black", "--jobs", "4", "--beside", "shortest_queue", "--json"});
  const Finished done = run_park(words);
  ASSERT_EQ(done.code, 0) << done.err;
  const Json j = Json::parse(done.out);
  EXPECT_EQ(j.at("targets"), 4);
  EXPECT_TRUE(j.at("finished").get<bool>());
  for (const char* who : {"victim", "null"})
    for (const char* figure : {"success", "gain", "ratio", "harm"})
      for (const char* part : {"mean", "low", "high"})
        EXPECT_TRUE(j.at(who).at(figure).contains(part)) << who << ' ' << figure;
  EXPECT_EQ(j.at("targets_of_victim").size(), 4u);
  const Json& beside = j.at("beside").at(0);
  EXPECT_EQ(beside.at("policy"), "shortest_queue");
  EXPECT_EQ(beside.at("victim").at("ratio").at("mean"), 1) << "it looks at no size";
  EXPECT_EQ(beside.at("victim").at("success").at("mean"), 0);
  EXPECT_EQ(run_park(words).out, done.out);
}

TEST(Attack, TextHasARowForEachPolicyAndItsNull) {
  const Finished done = run_park(command({"--mode", "random", "--jobs", "3", "--quiet"}));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("policy"), std::string::npos);
  for (const char* text : {"shortest_expected_delay", "shortest_queue", "null", "harm %"})
    EXPECT_NE(done.out.find(text), std::string::npos) << text << done.out;
}

TEST(Attack, BadInputIsOneLineAndExitCode2) {
  const auto error = [](const Words& words) {
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(std::ranges::count(done.err, '\n'), 1) << done.err;
    return done.err;
  };
  for (const char* epsilon : {"0", "-0.2", "1.1", "nan", "x"})
    EXPECT_NE(error(command({"--mode", "black", "--epsilon", epsilon}))
                  .find("--epsilon: \"" + std::string(epsilon) +
                        "\" is not a number above 0 and at most 1"),
              std::string::npos);
  EXPECT_NE(error(command({"--mode", "black", "--jobs", "0"})).find("--jobs"), std::string::npos);
  EXPECT_NE(error(command({})).find("mode: white needs a policy that has scores"),
            std::string::npos);
  EXPECT_NE(error({"attack", "load_balance(servers=1,jobs=5)", "--policy", "least_work", "--mode",
                   "black", "--jobs", "2"})
                .find("competes with others in a decision"),
            std::string::npos);
  EXPECT_NE(error(command({"--mode", "grey"})).find("--mode"), std::string::npos);
  EXPECT_NE(error(command({"--beside", "no_such"})).find("--beside"), std::string::npos);
}

TEST(Attack, AnInterruptKeepsJudgedTargets) {
  Subprocess process(command({"--mode", "black", "--jobs", "100000", "--json"}));
  ASSERT_TRUE(process.wait_for_error_text("targets"));
  process.signal(SIGINT);
  const Finished done = process.finish();
  EXPECT_EQ(done.code, 128 + SIGINT) << done.err;
  const Json j = Json::parse(done.out);
  EXPECT_FALSE(j.at("finished").get<bool>());
  EXPECT_EQ(j.at("targets"), j.at("targets_of_victim").size());
}

}  // namespace attack_command_test
}  // namespace park::cli
