// `park spark`: what it wants to be told, what it prints, how it ends. Spark itself: tests/spark.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/kit/subprocess.h"

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
  EXPECT_TRUE(has(read_text(file), "park.endpoint"));
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

TEST(Spark, AttachWantsBothKeysAndAFileThatTellsThem) {
  const Finished done = run_park({"spark", "attach", "--policy", "fair", "--key", "k"});
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "--key, --allow: an agent has both or none")) << done.err;
  EXPECT_TRUE(has(done.err, "--key: it needs --endpoint-file")) << done.err;
}

TEST(Spark, AttachNamesTheOptionOfAFileThatIsWrong) {
  const std::string empty = scratch_path("empty.keys"), bad = scratch_path("bad.keys");
  std::ofstream(empty).close();
  std::ofstream(bad) << "zzz\n";
  const auto refused = [](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), {"spark", "attach", "--policy", "fair"});
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 2);
    EXPECT_TRUE(has(done.err, text)) << done.err;
    EXPECT_FALSE(has(done.err, "Ctrl-C ends it")) << "it has not begun";
  };
  const std::string file = scratch_path("bound.json");
  refused({"--moving-delay", "14"}, "--moving-delay: it needs --share");
  refused({"--share", "4", "--moving-delay", "soon"}, "moving_delay_s");
  refused({"--key", "/nowhere/k", "--allow", empty, "--endpoint-file", file},
          "--key: /nowhere/k: cannot be read");
  refused({"--key", "/nowhere/k", "--allow", empty, "--endpoint-file", file},
          "--allow: " + empty + ": has no key");
  refused({"--key", "/nowhere/k", "--allow", bad, "--endpoint-file", file},
          "--allow: " + bad + ": line 1 begins with no public key");
  refused({"--endpoint-file", "/nowhere/x.json"}, "--endpoint-file: /nowhere/x.json: ");
  refused({"--log-json", "/nowhere/x"}, "--log-json: /nowhere/x cannot be written");
}

TEST(Spark, AttachSharesNoMoreExecutorsThanItSees) {
  const Finished done =
      run_park({"spark", "attach", "--policy", "fair", "--executors", "4", "--share", "5"});
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "--share: 5 is more than --executors allows, 4")) << done.err;
}

TEST(Spark, DoctorTellsWhetherDecisionsAreTaken) {
  const std::string log = scratch_path("driver.log");
  std::ofstream(log) << "10:00 INFO Agent: Park: the agent decides\n";
  const Finished well = run_park({"spark", "doctor", "--log", log});
  EXPECT_EQ(well.code, 0) << well.err;
  EXPECT_TRUE(has(well.out, "the agent takes the decisions")) << well.out;
  std::ofstream(log) << "10:00 WARN Attachment: Park: x is not supported; this is plain Spark\n";
  const Finished ill = run_park({"spark", "doctor", "--log", log, "--json"});
  EXPECT_EQ(ill.code, 1) << ill.err;
  EXPECT_TRUE(has(ill.out, "x is not supported")) << ill.out;
  const Finished nothing = run_park({"spark", "doctor"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(has(nothing.err, "--conf, --log: one of them is required")) << nothing.err;
}

TEST(Spark, RunTellsWhatIsNotThere) {
  const Finished done =
      run_park({"spark",          "run",          "--policy",  "fair",        "--workload",
                "/nowhere/a.csv", "--spark",      "/nowhere",  "--plugin",    "/nowhere/p.jar",
                "--data",         "/nowhere",     "--queries", "/nowhere",    "--timeline",
                "timeline.txt",   "--event-logs", "/",         "--durations", "/nowhere/w.park"});
  EXPECT_EQ(done.code, 2);
  for (const char* option : {"--workload: ", "--spark: ", "--plugin: ", "--data: ", "--queries: ",
                             "--durations: ", "--timeline: ", "--event-logs: / exists"})
    EXPECT_TRUE(has(done.err, option)) << done.err;
}

TEST(Spark, RunTellsWhatIsWrongWithTheArrivals) {
  const std::string root = scratch_path("tpch");
  for (const char* folder : {"jars", "lineitem", "sf2/lineitem"})
    std::filesystem::create_directories(root + "/" + folder);
  std::ofstream(root + "/q1.sql");
  const std::string file = root + "/arrivals.csv";
  std::ofstream(file) << "time_s,job\n-1,2g:7\nafter,q22\nsoon,q1\n0,q23\n0,0.5g:7\n0\n";
  const Finished done = run_park({"spark", "run", "--policy", "fair", "--workload", file, "--spark",
                                  root, "--plugin", file, "--data", root, "--queries", root});
  EXPECT_EQ(done.code, 2);
  EXPECT_FALSE(has(done.err, ":2: ") || has(done.err, ":3: ")) << done.err;
  EXPECT_TRUE(has(done.err, ":4: must be a time in seconds or 'after'")) << done.err;
  EXPECT_TRUE(has(done.err, ":5: there is no job 'q23'; allowed are q1 to q22")) << done.err;
  EXPECT_TRUE(has(done.err, ":6: the data of '0.5g:7'")) << done.err;
  EXPECT_TRUE(has(done.err, "scripts/spark.sh tpch=0.5 generates some")) << done.err;
  EXPECT_TRUE(has(done.err, ":7: must be a time")) << done.err;
}

TEST(Spark, AnEnvironmentMayHaveTheNameOfACommand) {
  const Finished done = run_park({"describe", "spark"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "real system"));
}

}  // namespace
}  // namespace park::cli
