// `park serve` and the environment `remote`: what a server plays is what is played here.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/served.h"

namespace park::cli {
namespace serve_test {

using Json = nlohmann::json;

Json results(const std::string& env) {
  const Finished done = run_park(
      {"run", env, "--policy", "least_work,random", "--episodes", "5", "--json", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
  Json all = Json::parse(done.out).at("results");
  for (Json& result : all)
    for (const char* own : {"env", "wall_s"}) result.erase(own);
  return all;
}

TEST(Serve, ARemoteEnvironmentGivesTheSameResults) {
  Served served({"load_balance(jobs=50)"});
  EXPECT_EQ(results("remote(endpoint=\"" + served.endpoint() + "\")"),
            results("load_balance(jobs=50)"));
  const Finished done = served.end(SIGINT);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("0 malformed messages"), std::string::npos) << done.out;
}

TEST(Serve, ARemotePolicyGivesTheSameResults) {
  Served served({"--policy", "any"});
  const auto figures = [](const std::string& policy) {
    const Finished done = run_park({"run", "load_balance(jobs=50)", "--policy", policy,
                                    "--episodes", "5", "--json", "--quiet"});
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out).at("results").at(0).at("per_episode");
  };
  for (const std::string policy : {"shortest_queue", "power_of_d(d=3)", "random"})
    EXPECT_EQ(figures("remote(policy=\"" + policy + "\",endpoint=\"" + served.endpoint() + "\")"),
              figures(policy))
        << policy;
  EXPECT_EQ(served.end(SIGINT).code, 0);
}

#if PARK_HAS_AGENTS
TEST(Serve, ARemoteEnvironmentTrainsTheSamePolicy) {
  Served served({"load_balance(jobs=20)"});
  const auto weights = [](const std::string& env, const std::string& name) {
    const std::string run = scratch_path(name);
    const Finished done =
        run_park({"train", env, "--algo", "ppo(sequences=2,rollouts=2)", "--net", "mlp",
                  "--iterations", "1", "--validation-episodes", "3", "--out", run, "--quiet"});
    EXPECT_EQ(done.code, 0) << done.err;
    return file_text(run + "/latest/policy.safetensors");
  };
  const std::string far = weights("remote(endpoint=\"" + served.endpoint() + "\")", "far");
  EXPECT_GT(far.size(), 10'000u);
  EXPECT_TRUE(far == weights("load_balance(jobs=20)", "near"));
  EXPECT_EQ(served.end(SIGINT).code, 0);
}
#endif

TEST(Serve, ClientsMayChooseTheEnvironment) {
  Served served({"--endpoint", "tcp://127.0.0.1:*"});
  const Finished done = run_park(
      {"describe", "remote(env=load_balance,endpoint=\"" + served.endpoint() + "\")", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out).at("name"), "load_balance");
  EXPECT_EQ(served.end(SIGTERM).code, 0);
}

TEST(Serve, OnlyWhoHasTheTokenOrAKeyGetsIn) {
  const std::string server_key = scratch_path("server.key"),
                    client_key = scratch_path("client.key");
  const std::string allowed = scratch_path("allowed.keys");
  const Finished made = run_park({"key", "--out", server_key});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out.size(), 41u);
  EXPECT_EQ(run_park({"key", "--out", server_key}).code, 2);  // is there already
  std::ofstream(allowed) << run_park({"key", "--out", client_key}).out;
  const auto describe = [](const std::string& fields) {
    return run_park({"describe", "remote(timeout_s=5,endpoint=\"" + fields + ")"});
  };
  Served served({"load_balance", "--token", "--endpoint", "tcp://127.0.0.1:*"});
  EXPECT_EQ(describe(served.file() + "\"").code, 0);
  EXPECT_NE(describe(served.endpoint() + "\"").err.find("token: "), std::string::npos);
  Served closed(
      {"load_balance", "--key", server_key, "--allow", allowed, "--endpoint", "tcp://0.0.0.0:*"});
  EXPECT_NE(describe(closed.file() + "\"").err.find("key: "), std::string::npos);
  EXPECT_EQ(served.end(SIGINT).code, 0);
  EXPECT_EQ(closed.end(SIGINT).code, 0);
}

TEST(Serve, TheListOfKeysIsReadAgainAtAHangup) {
  const std::string server_key = scratch_path("server.key"),
                    client_key = scratch_path("client.key"), allowed = scratch_path("allowed.keys");
  const std::string first = run_park({"key", "--out", scratch_path("first.key")}).out;
  std::ofstream(allowed) << first;
  ASSERT_EQ(run_park({"key", "--out", server_key}).code, 0);
  const std::string added = run_park({"key", "--out", client_key}).out;
  Served served({"load_balance", "--key", server_key, "--allow", allowed});
  const auto describe = [&] {
    return run_park({"describe", "remote(timeout_s=5,endpoint=\"" + served.file() + "\",key=\"" +
                                     client_key + "\")"});
  };
  EXPECT_NE(describe().err.find("server's list"), std::string::npos);
  std::ofstream(allowed) << "nonsense\n";
  served.signal(SIGHUP);
  EXPECT_TRUE(served.tells("the list stays as it was"));
  std::ofstream(allowed) << first << added;
  served.signal(SIGHUP);
  EXPECT_TRUE(served.tells("letting in the 2 keys"));
  EXPECT_EQ(describe().code, 0);
  EXPECT_EQ(served.end(SIGTERM).code, 0);
}

TEST(Serve, HelpHasAnExample) {
  const Finished done = run_park({"serve", "--help"});
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.out.find("example:"), std::string::npos);
}

TEST(Serve, BadInputIsNamed) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 2);
    EXPECT_TRUE(done.out.empty());
    EXPECT_NE(done.err.find(text), std::string::npos) << done.err;
  };
  refused({"serve", "load_balanc"}, "load_balance");
  refused({"serve", "--endpoint", "tcp://0.0.0.0:5555"}, "endpoint: ");
  refused({"serve", "--lease", "0"}, "--lease");
  refused({"serve", "--token"}, "--endpoint-file");
  refused({"serve", "--key", "nowhere"}, "--key, --allow: ");
  refused({"serve", "--key", "nowhere", "--allow", "nowhere"}, "nowhere: cannot be read");
  refused({"run", "remote(timeout_s=0.2,endpoint=\"tcp://127.0.0.1:9\")", "--policy", "random"},
          "no server answers");
}

}  // namespace serve_test
}  // namespace park::cli
