// Episodes of dl_inference_live with all their processes, and what is left when one of them is killed.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/served.h"
#include "tests/kit/subprocess.h"
#include "tests/systems/dl_inference_live/infer_processes.h"

namespace park::cli {
namespace infer_test {

TEST(InferEpisodes, RunPlaysEpisodesAgainstItsOwnServer) {
  const std::string name = own_name("run");
  const Finished done = run_park({"run", two_models(name, "load=0.5,duration_s=0.6,decision_s=0.5"),
                                  "--policy", "aged,rr", "--episodes", "1", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json results = Json::parse(done.out).at("results");
  ASSERT_EQ(results.size(), 2u);
  for (const Json& result : results) {
    EXPECT_GT(mean(result, "requests_done"), 10);
    EXPECT_EQ(mean(result, "requests_unanswered"), 0);
    EXPECT_EQ(mean(result, "requests_dropped"), 0);
    EXPECT_GE(mean(result, "macro_slowdown"), 1);
    EXPECT_LT(mean(result, "own_rule_batches"), 3) << "the policy answers";
    const double slowdowns = mean(result, "requests_done") * mean(result, "avg_slowdown");
    EXPECT_NEAR(-mean(result, "reward"), slowdowns, 1e-6 * slowdowns);
  }
  EXPECT_EQ(mean(results[0], "requests_done"), mean(results[1], "requests_done"))
      << "the same arrivals";
  EXPECT_TRUE(all_gone(name));
}

TEST(InferEpisodes, AServerMayHaveThePolicyItself) {
  const std::string env = two_models(own_name("inside"), "load=0.4,duration_s=0.5,decision_s=0.5");
  InferServer server(env, {"--policy", "aged"});
  const Finished done = run_park({"infer", "load", env, "--endpoint", server.file(), "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json counts = server.end();
  EXPECT_GT(counts.at("decisions"), 0);
  EXPECT_EQ(counts.at("own_rule"), 0);
  EXPECT_EQ(mean(Json::parse(done.out).at("results")[0], "requests_done"), counts.at("served"));
}

TEST(InferEpisodes, CtrlCLeavesNoProcess) {
  const std::string name = own_name("interrupt");
  Subprocess park(
      {"run", two_models(name, "duration_s=60"), "--policy", "aged", "--episodes", "1"});
  ASSERT_NE(server_of(name), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));  // amid the episode
  park.signal(SIGINT);
  EXPECT_EQ(park.finish(20).code, 128 + SIGINT);
  EXPECT_TRUE(all_gone(name));
}

TEST(InferEpisodes, AKilledParkTakesItsServerWithIt) {
  const std::string name = own_name("killed");
  Subprocess park(
      {"run", two_models(name, "duration_s=60"), "--policy", "aged", "--episodes", "1"});
  ASSERT_NE(server_of(name), 0);
  park.signal(SIGKILL);
  EXPECT_EQ(park.finish(20).code, -SIGKILL);
  EXPECT_TRUE(all_gone(name));
}

TEST(InferEpisodes, AKilledServerIsReportedInALine) {
  const std::string name = own_name("dead");
  Subprocess park(
      {"run", two_models(name, "duration_s=60"), "--policy", "aged", "--episodes", "1"});
  const pid_t server = server_of(name);
  ASSERT_NE(server, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // it serves by now
  kill(server, SIGKILL);
  const Finished done = park.finish(30);
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_TRUE(has(done.err, "status 137") || has(done.err, "did not say")) << done.err;
  EXPECT_TRUE(all_gone(name));
}

TEST(InferEpisodes, AServerOutlivesItsClientsAndItsPolicy) {
  const std::string env = two_models(own_name("outlives"), "load=0.4,duration_s=0.8");
  Served policy({"--policy", "aged"});
  InferServer server(env, {"--policy-endpoint", policy.endpoint()});
  const std::vector<std::string> load{"infer", "load", env, "--endpoint", server.file(), "--json"};
  const Finished first = run_park(load);
  ASSERT_EQ(first.code, 0) << first.err;
  const Json with_policy = Json::parse(first.out).at("results")[0];
  EXPECT_EQ(mean(with_policy, "requests_unanswered"), 0);
  EXPECT_LT(mean(with_policy, "own_rule_batches"), mean(with_policy, "requests_done") / 2);
  {
    std::vector<std::string> endless = load;
    endless[2] = two_models("a", "load=0.4,duration_s=60");
    endless[2].replace(endless[2].find("name=a"), 6, "name=" + own_name("outlives"));
    Subprocess client(endless);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    client.signal(SIGKILL);
    EXPECT_EQ(client.finish(20).code, -SIGKILL);
  }
  static_cast<void>(policy.end(SIGKILL));
  const Finished second = run_park(load);
  ASSERT_EQ(second.code, 0) << second.err;
  const Json alone = Json::parse(second.out).at("results")[0];
  EXPECT_EQ(mean(alone, "requests_unanswered"), 0);
  EXPECT_EQ(mean(alone, "requests_done"), mean(with_policy, "requests_done"));
  EXPECT_GT(mean(alone, "own_rule_batches"), 0);
  const Json counts = server.end();
  EXPECT_GE(counts.at("policy_sessions"), 1);
  EXPECT_GT(counts.at("own_rule"), 0);
  EXPECT_EQ(counts.at("refused"), 0);
}

#if PARK_HAS_AGENTS
TEST(InferEpisodes, ServesTheModelsOfLibTorch) {
  const std::string name = own_name("torch");
  const Finished done =
      run_park({"run",
                "dl_inference_live(models=[model(kind=mlp,max_batch=4,name=" + name +
                    "),model(kind=cnn,max_batch=2)],load=0.2,duration_s=0.5,decision_s=0.5)",
                "--policy", "aged", "--episodes", "1", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json result = Json::parse(done.out).at("results")[0];
  EXPECT_GT(mean(result, "requests_done"), 1);
  EXPECT_EQ(mean(result, "requests_unanswered"), 0);
  EXPECT_TRUE(all_gone(name));
}

TEST(InferEpisodes, RefuseAFileThatIsNoModel) {
  const std::string models = "models=[model(kind=file,file=/nowhere/a.pt,shape=[-1,3])]";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"infer", "serve", "dl_inference_live(" + models + ")"},
        {"run", "dl_inference_live(" + models + ")", "--policy", "aged", "--episodes", "1"}}) {
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_TRUE(has(done.err, "model 'a' cannot be loaded: ")) << done.err;
  }
}
#endif

}  // namespace infer_test
}  // namespace park::cli
