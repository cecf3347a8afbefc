// park bench with agents: they are trained, judged and verified.
#include "tests/cli/agent_suite.h"

namespace park::cli::agent_suite {

TEST(BenchTraining, TrainsThenJudgesByFiguresThatVerifyAccepts) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "training needs the agents module, which was not built";
  const std::string out = scratch_path("out");
  const Finished done = run_park(bench(write_suite(100), out, "2"));
  ASSERT_EQ(done.code, 0) << done.err;
  for (const char* title : {"agent, score by environment", "agent, score over environments",
                            "ppo, trained on", "agent, cost of training"})
    EXPECT_NE(done.out.find(title), std::string::npos) << title << done.out;
  EXPECT_EQ(figures_of(out).at("agents").at("standings").size(), 8u);
  const Finished verified = run_park({"bench", "verify", out + "/results.json", "--quiet"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
}

TEST(BenchTraining, NeedsAFolderAndAgentsThatFit) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "training needs the agents module, which was not built";
  const std::string suite = write_suite(50);
  const Finished done = run_park({"bench", suite});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("--out: the suite trains agents"), std::string::npos) << done.err;
  const std::string wrong = write_suite(50, Json{{{"agent", "x"}, {"train", "no_such_algorithm"}}});
  const Finished unknown = run_park(bench(wrong, scratch_path("out"), "1"));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("no_such_algorithm"), std::string::npos) << unknown.err;
}

}  // namespace park::cli::agent_suite
