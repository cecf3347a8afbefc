// park bench with policies that are no heuristics of this process.
#include <csignal>
#include <fstream>

#include "tests/cli/served.h"

namespace park::cli {
namespace bench_agents_test {

using Json = nlohmann::json;

/// The file of a suite with one environment.
std::string write_suite(const Json& environment) {
  const std::string path = scratch_path("suite.json");
  const Json suite{
      {"schema", "park.suite"},  {"version", 1}, {"name", "agents"},
      {"summary", "for a test"}, {"seed", 3},    {"environments", Json::array({environment})}};
  std::ofstream(path) << suite.dump();
  return path;
}

Json results_of(const std::string& folder) {
  return Json::parse(read_text(folder + "/results.json"));
}

/// Servers are connected to where that is permitted, and else named.
void expect_verified(const std::string& file) {
  const Finished done = run_park({"bench", "verify", file, "--quiet", "--allow-remote"});
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  if (read_text(file).find("\"policy\": \"remote(") == std::string::npos) return;
  const Finished refused = run_park({"bench", "verify", file, "--quiet"});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_NE(refused.out.find("--allow-remote"), std::string::npos) << refused.out;
}

/// Plays a suite by one thread and by two: the same rows, and both verify. Gives the results.
Json play_twice(const std::string& suite) {
  const std::string one = scratch_path("one"), two = scratch_path("two");
  for (const auto& [folder, workers] : {std::pair{one, "1"}, std::pair{two, "2"}}) {
    const Finished done = run_park({"bench", suite, "--out", folder, "--workers", workers});
    EXPECT_EQ(done.code, 0) << done.out << done.err;
  }
  const Json of_one = results_of(one), of_two = results_of(two);
  for (std::size_t i = 0; i < of_one.at("results").size(); ++i)
    EXPECT_EQ(of_one["results"][i].at("rows_sha256"), of_two["results"][i].at("rows_sha256"));
  const Finished compared =
      run_park({"bench", "compare", one + "/results.json", two + "/results.json", "--json"});
  const Json changes = Json::parse(compared.out);
  EXPECT_EQ(changes.at("changes").size(), of_one["results"].size());  // one metric is reported
  EXPECT_TRUE(changes.at("unmatched").empty());
  for (const Json& change : changes.at("changes")) EXPECT_EQ(change.at("verdict"), "equal");
  expect_verified(one + "/results.json");
  expect_verified(two + "/results.json");
  return of_one;
}

TEST(BenchAgents, ANetworkGivesTheSameResultsForAnyNumberOfWorkers) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "networks need the agents module, which was not built";
  const Json results = play_twice(write_suite({{"env", "dag_scheduling"},
                                               {"config", {{"executors", 10}, {"jobs", 6}}},
                                               {"episodes", 12},
                                               {"metrics", {"avg_jct_s"}},
                                               {"baselines", {"random", "fair"}},
                                               {"policies", {"dag_scheduling-batch-bundled"}}}));
  EXPECT_EQ(results.at("results").size(), 3u);
  EXPECT_EQ(results["results"][2].at("files").size(), 2u);
  EXPECT_FALSE(results.at("manifest").at("host").at("libtorch").get<std::string>().empty());
}

#if PARK_HAS_BRIDGE
TEST(BenchAgents, AServedPolicyGivesTheResultsThatItGivesHere) {
  Served served({"--policy", "least_work"});
  const std::string remote = "remote(endpoint=\"" + served.endpoint() + "\")";
  const Json results = play_twice(write_suite({{"env", "load_balance"},
                                               {"config", {{"servers", 3}, {"jobs", 60}}},
                                               {"episodes", 20},
                                               {"metrics", {"avg_response_s"}},
                                               {"baselines", {"random", "least_work"}},
                                               {"policies", {remote}}}));
  const Json& all = results.at("results");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[2].at("policy").get<std::string>().starts_with("remote("));
  EXPECT_EQ(all[2].at("per_episode"), all[1].at("per_episode"));
  EXPECT_NE(all[2].at("per_episode"), all[0].at("per_episode"));
  EXPECT_EQ(served.end(SIGINT).code, 0);
}
#endif

}  // namespace bench_agents_test
}  // namespace park::cli
