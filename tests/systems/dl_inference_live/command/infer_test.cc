// `park infer`: what it refuses, what a profile says. Models sleep; episodes are in ci/.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/kit/subprocess.h"
#include "tests/systems/dl_inference_live/infer_processes.h"

namespace park::cli {
namespace infer_test {

TEST(Infer, LoadSaysWhereNobodyAnswers) {
  const Finished none = run_park({"infer", "load", two_models("a", "duration_s=0.1"), "--endpoint",
                                  "tcp://127.0.0.1:9", "--wait", "1"});
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
  const Finished both = run_park({"infer", "serve", two_models("a", "load=0.5"), "--policy",
                                  "least_work", "--policy-endpoint", "tcp://127.0.0.1:9"});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(has(both.err, "a server has one policy")) << both.err;
  EXPECT_TRUE(has(both.err, "--policy: policy 'least_work' does not understand")) << both.err;
#if !PARK_HAS_AGENTS
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

}  // namespace infer_test
}  // namespace park::cli
