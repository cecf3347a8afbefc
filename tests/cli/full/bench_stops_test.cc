// park bench with agents, twice, stopped, with trainings that fail, and with results that were changed.
#include <unistd.h>

#include <csignal>

#include "tests/cli/agent_suite.h"

namespace park::cli::agent_suite {

TEST(BenchStops, GivesTheSameFiguresAgainAndAnAgentOfSomebodyElse) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "training needs the agents module, which was not built";
  const Json outside{
      {{"agent", "script"}, {"command", {"sh", write_trainer()}}, {"policy", "run"}}};
  const std::string suite = write_suite(400, outside);
  const std::string one = scratch_path("one"), two = scratch_path("two");
  const Finished first = run_park(bench(suite, one, "1"));
  ASSERT_EQ(first.code, 0) << first.err;
  for (const char* title : {"agent, score by environment", "agent, score over environments",
                            "ppo, trained on", "agent, cost of training", "does not fit"})
    EXPECT_NE(first.out.find(title), std::string::npos) << title << first.out;
  ASSERT_EQ(run_park(bench(suite, two, "2")).code, 0);
  EXPECT_EQ(figures_of(one), figures_of(two));
  expect_verified(one);
  const Json agents = results_of(one).at("agents");
  EXPECT_EQ(agents.at("standings").size(),
            10u);  // 2 agents x 2 x 2, and one on its environment and the other
  EXPECT_EQ(agents.at("unfit").at(0).at("reason"), "sh does not fit: for twenty jobs");
  for (const Json& score : agents.at("scores"))
    EXPECT_EQ(score.at("everywhere"), score.at("agent") != "script");
  const Finished board =
      run_park({"bench", "leaderboard", one + "/results.json", two + "/results.json", "--out",
                scratch_path("b.html"), "--json"});
  const Json ranked = Json::parse(board.out).at("agents");
  ASSERT_EQ(ranked.size(), 4u);
  EXPECT_EQ(ranked[0].at("board"), ranked[3].at("board"));
}

TEST(BenchStops, VerifyNamesWhatTheCheckpointsSayOtherwise) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "training needs the agents module, which was not built";
  const std::string out = scratch_path("out");
  ASSERT_EQ(run_park(bench(write_suite(100), out, "2")).code, 0);
  const auto expect_line = [&](const std::string& line) {
    const Finished done = run_park({"bench", "verify", out + "/results.json", "--quiet"});
    EXPECT_EQ(done.code, 1) << done.err;
    EXPECT_NE(done.out.find(line), std::string::npos) << done.out;
  };
  const std::string run = "agents/ppo/0-load_balance/seed-1";
  fs::remove_all(out + '/' + run);
  fs::copy(out + "/agents/ppo/0-load_balance/seed-2", out + '/' + run, fs::copy_options::recursive);
  expect_line(run + ": was another training than the suite asks for");
  Json trained = Json::parse(read_text(out + '/' + run + "/trained.json"));
  std::string asked = trained["asked"];
  trained["asked"] = asked.replace(asked.find("seed 2"), 6, "seed 1");
  trained["seed"] = 1;
  std::ofstream(out + '/' + run + "/trained.json") << trained.dump();
  expect_line(run + ": seed is 2, but the suite asks for 1");
}

/// Until a training has written a checkpoint.
bool has_begun(const std::string& out) {
  for (int i = 0; i < 600; ++i) {
    if (fs::exists(out + "/agents/ppo/0-load_balance/seed-1/latest/manifest.json")) return true;
    usleep(50'000);
  }
  return false;
}

TEST(BenchStops, GoesOnAfterAnyStopToTheSameFigures) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "training needs the agents module, which was not built";
  const std::string suite = write_suite(1200);
  const std::string whole = scratch_path("whole"), stopped = scratch_path("stopped");
  ASSERT_EQ(run_park(bench(suite, whole, "2")).code, 0);
  for (const int signal : {SIGINT, SIGKILL}) {
    Subprocess park(bench(suite, stopped, "1"));
    ASSERT_TRUE(has_begun(stopped));
    usleep(signal == SIGKILL ? 500'000 : 0);
    park.signal(signal);
    const Finished end = park.finish();
    EXPECT_EQ(end.code, signal == SIGKILL ? -SIGKILL : 128 + SIGINT) << end.err;
    EXPECT_FALSE(fs::exists(stopped + "/results.json"));
  }
  const Finished last = run_park(bench(suite, stopped, "1"));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(figures_of(whole), figures_of(stopped));
  const Finished again = run_park(bench(suite, stopped, "1"));
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("is finished; give --overwrite"), std::string::npos) << again.err;
  const Finished other = run_park(bench(write_suite(1300), stopped, "1"));
  EXPECT_EQ(other.code, 2) << other.err;
}

TEST(BenchStops, AFailedTrainingIsAFailureThatTheNextCallRepeats) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "training needs the agents module, which was not built";
  const std::string flag = scratch_path("flag"), out = scratch_path("out"),
                    trainer = write_trainer();
  const std::string script =
      "test -e " + flag + " || { echo no luck; exit 9; }; exec sh " + trainer + " \"$@\"";
  const Json outside{
      {{"agent", "unlucky"}, {"command", {"sh", "-c", script, "sh"}}, {"policy", "run"}}};
  const std::string suite = write_suite(50, outside);
  const Finished first = run_park(bench(suite, out, "2"));
  EXPECT_EQ(first.code, 1);
  EXPECT_NE(first.err.find("sh: ended with code 9: no luck"), std::string::npos) << first.err;
  EXPECT_FALSE(results_of(out).at("failures").empty());
  expect_verified(out);
  std::ofstream(flag) << "now";
  const Finished second = run_park(bench(suite, out, "2"));
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(results_of(out).at("failures").empty());
}

}  // namespace park::cli::agent_suite
