// `park infer`, and `park run` of dl_inference_live: episodes with processes, and what is left when
// one of them is killed. Models sleep; those of LibTorch are in models_test.cc.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/served.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace infer_test {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two models that sleep; the first one's name is found in the arguments of the server.
std::string two_models(const std::string& name, const std::string& more) {
  return "dl_inference_live(models=[model(kind=delay,name=" + name +
         ",a_s=0.002,b_s=0.0005,max_batch=8),model(kind=delay,name=slow,a_s=0.004,max_batch=4)]," +
         more + ")";
}

std::string own_name(const std::string& test) { return test + std::to_string(getpid()); }

/// Processes that have all of these texts in their arguments.
std::vector<pid_t> processes(const std::vector<std::string>& texts) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string arguments = file_text((entry.path() / "cmdline").string());
    if (std::ranges::all_of(texts, [&](const std::string& t) { return has(arguments, t); }))
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

/// Waits for the server process of `park run` with this model; 0 where none comes.
pid_t server_of(const std::string& model) {
  for (int i = 0; i < 1200; ++i) {
    if (const auto all = processes({"serve", model}); !all.empty()) return all.front();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return 0;
}

bool all_gone(const std::string& model) {
  for (int i = 0; i < 200; ++i) {
    if (processes({model}).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

double mean(const Json& result, const char* metric) {
  return result.at("metrics").at(metric).at("mean");
}

/// A server that runs by itself.
class InferServer {
 public:
  explicit InferServer(const std::string& env, const std::vector<std::string>& more = {})
      : file_(scratch_path("infer.json")), process_(words(env, file_, more)) {
    EXPECT_TRUE(process_.wait_for_error_text("Ctrl-C ends it"));
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Its counts, as it ends.
  Json end() {
    process_.signal(SIGINT);
    const Finished done = process_.finish(20);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out);
  }

 private:
  static std::vector<std::string> words(const std::string& env, const std::string& file,
                                        const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "infer",           "serve", env,     "--endpoint", "tcp://127.0.0.1:*",
        "--endpoint-file", file,    "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string file_;
  Subprocess process_;
};

TEST(Infer, RunPlaysEpisodesAgainstItsOwnServer) {
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

TEST(Infer, CtrlCLeavesNoProcess) {
  const std::string name = own_name("interrupt");
  Subprocess park(
      {"run", two_models(name, "duration_s=60"), "--policy", "aged", "--episodes", "1"});
  ASSERT_NE(server_of(name), 0);
  park.signal(SIGINT);
  EXPECT_EQ(park.finish(20).code, 128 + SIGINT);
  EXPECT_TRUE(all_gone(name));
}

TEST(Infer, AKilledParkTakesItsServerWithIt) {
  const std::string name = own_name("killed");
  Subprocess park(
      {"run", two_models(name, "duration_s=60"), "--policy", "aged", "--episodes", "1"});
  ASSERT_NE(server_of(name), 0);
  park.signal(SIGKILL);
  EXPECT_EQ(park.finish(20).code, -SIGKILL);
  EXPECT_TRUE(all_gone(name));
}

TEST(Infer, AKilledServerIsReportedInALine) {
  const std::string name = own_name("server");
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

TEST(Infer, AServerOutlivesItsClientsAndItsPolicy) {
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

TEST(Infer, LoadSaysWhereNobodyAnswers) {
  const Finished none = run_park(
      {"infer", "load", two_models("a", "duration_s=0.1"), "--endpoint", "tcp://127.0.0.1:9"});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(has(none.err, "no inference server answers there")) << none.err;
  const Finished wrong = run_park(
      {"infer", "load", two_models("a", "duration_s=0.1"), "--endpoint", "udp://127.0.0.1:9"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.err, "--endpoint: ")) << wrong.err;
}

TEST(Infer, RefusesModelsInALine) {
  const auto refused = [](const std::string& models, const std::string& part) {
    const Finished done = run_park({"infer", "serve", "dl_inference_live(models=" + models + ")",
                                    "--endpoint", "tcp://127.0.0.1:*"});
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_TRUE(has(done.err, part)) << done.err;
    EXPECT_EQ(std::ranges::count(done.err, '\n'), 1) << done.err;
  };
  refused("[model(kind=delay),model(kind=delay)]", "two models named 'delay'");
  refused("[model(kind=file,file=a.pt,shape=[3])]", "has no batch dimension");
#if PARK_HAS_AGENTS
  refused("[model(kind=file,file=/nowhere/a.pt,shape=[-1,3])]", "model 'a' cannot be loaded: ");
#else
  const Finished none = run_park({"infer", "serve", "dl_inference_live"});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(has(none.err, "models of LibTorch are not available: ")) << none.err;
#endif
}

TEST(Infer, ProfileWritesTheTableOfTheSimulator) {
  const std::string table = scratch_path("table.csv");
  const Finished done = run_park({"infer", "profile", two_models("one", "load=0.5"), "--repeats",
                                  "3", "--table", table, "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.err, "one: wall and processor time differ by up to ")) << "it sleeps";
  const Json model = Json::parse(done.out).at("models")[0];
  EXPECT_EQ(model.at("name"), "one");
  EXPECT_EQ(model.at("times").size(), 8u);
  EXPECT_GE(model.at("times")[7].at("wall_p50_s"), 0.006);
  EXPECT_GT(model.at("clock_gap"), 0.2);
  const Finished simulated =
      run_park({"run", "dl_inference(apps=table,duration_s=1,table=" + table + ")", "--policy",
                "aged", "--episodes", "1", "--json"});
  EXPECT_EQ(simulated.code, 0) << simulated.err;
}

TEST(Infer, DescribeKnowsTheTwin) {
  const Finished done = run_park({"describe", "dl_inference_live"});
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(has(done.out, "own_rule_batches"));
  EXPECT_TRUE(has(done.out, "aged"));
}

#if PARK_HAS_AGENTS
TEST(Infer, ServesTheModelsOfLibTorch) {
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
#endif

}  // namespace infer_test
}  // namespace park::cli
