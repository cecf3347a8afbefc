// `park spark`: what it wants to be told, what it prints, how it ends. Spark itself: tests/spark.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/cli/subprocess.h"

namespace park::cli {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Spark, AttachPrintsTheSettingsAndEndsWithCtrlC) {
  const std::string file = scratch_path("endpoint.json");
  Subprocess park({"spark", "attach", "--policy", "fair", "--endpoint", "tcp://127.0.0.1:*",
                   "--endpoint-file", file});
  EXPECT_TRUE(park.wait_for_error_text("Ctrl-C ends it"));
  for (int i = 0; i < 1000 && !std::filesystem::exists(file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(has(file_text(file), "park.endpoint"));
  park.signal(SIGINT);
  const Finished done = park.finish(20);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.err, "spark.plugins         park.spark.ParkPlugin")) << done.err;
  EXPECT_TRUE(has(done.err, "spark.park.agent      " + file)) << done.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Spark, AttachTellsWhatIsWrong) {
  const Finished policy = run_park({"spark", "attach", "--policy", "least_work"});
  EXPECT_EQ(policy.code, 2);
  EXPECT_TRUE(has(policy.err, "--policy: policy 'least_work' does not understand 'spark'"))
      << policy.err;
  const Finished port =
      run_park({"spark", "attach", "--policy", "fair", "--endpoint", "tcp://127.0.0.1:*"});
  EXPECT_EQ(port.code, 2);
  EXPECT_TRUE(has(port.err, "--endpoint: with a free port it needs --endpoint-file")) << port.err;
}

TEST(Spark, RunTellsWhatIsNotThere) {
  const Finished done =
      run_park({"spark", "run", "--policy", "fair", "--workload", "/nowhere/a.csv", "--spark",
                "/nowhere", "--plugin", "/nowhere/p.jar", "--data", "/nowhere", "--queries",
                "/nowhere", "--timeline", "timeline.txt", "--event-logs", "/"});
  EXPECT_EQ(done.code, 2);
  for (const char* option : {"--workload: ", "--spark: ", "--plugin: ", "--data: ", "--queries: ",
                             "--timeline: ", "--event-logs: / exists"})
    EXPECT_TRUE(has(done.err, option)) << done.err;
}

TEST(Spark, AnEnvironmentMayHaveTheNameOfACommand) {
  const Finished done = run_park({"describe", "spark"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "real system"));
}

}  // namespace
}  // namespace park::cli
