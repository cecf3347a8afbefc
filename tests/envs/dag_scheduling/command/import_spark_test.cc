// `park workload import-spark` as a process, and what it wrote in the simulator.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/envs/dag_scheduling/workload/spark_oracle.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace import_spark_test {

using Json = nlohmann::json;

const std::string kData = std::string(PARK_SOURCE_DIR) + "/tests/data/spark/";

Json json_of(const std::vector<std::string>& arguments) {
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  return Json::parse(park.out);
}

/// The one log in a folder of the recordings.
std::string log_path(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(kData + name)) return entry.path();
  return "";
}

/// Mean work of one job over 200 episodes on one executor: how long it takes when it is alone.
Json simulated(const std::string& workload, const std::string& job) {
  const std::string arrivals = scratch_path("arrivals.csv");
  std::ofstream(arrivals) << "time_s,job\n0," << job << "\n";
  const Json run = json_of({"run",
                            "dag_scheduling(executors=1,moving_delay_s=0,warmup_delay_s=0,"
                            "arrival=file,arrivals=\"" +
                                arrivals + "\",workload=\"" + workload + "\")",
                            "--policy", "fifo", "--episodes", "200", "--json"});
  return run.at("results")[0].at("metrics").at("avg_jct_s");
}

/// Means over the runs of the same job.
std::map<std::string, double> measured_work(const std::string& log,
                                            const std::set<std::string>& but_runs = {}) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const auto& [name, run] : test::SparkOracle(log).runs) {
    if (!run.finished() || but_runs.contains(name.second)) continue;
    sums[name.first].first += run.work_s();
    sums[name.first].second += 1;
  }
  std::map<std::string, double> means;
  for (const auto& [job, sum] : sums) means[job] = sum.first / sum.second;
  return means;
}

/// Every job by itself within four standard errors; all together within 1 %.
void expect_round_trip(const std::string& log, const std::map<std::string, double>& measured) {
  const std::string workload = scratch_path("round.park");
  (void)json_of({"workload", "import-spark", log, "--inflation", "none", "--exclude",
                 "warmup,setup", "--out", workload, "--json"});
  double real = 0, model = 0;
  for (const auto& [job, work_s] : measured) {
    const Json jct = simulated(workload, job);
    const double mean = jct.at("mean").get<double>();
    const double error = jct.at("sd").get<double>() / std::sqrt(200.0);
    EXPECT_NEAR(mean, work_s, 4 * error + 1e-3) << job;
    real += work_s;
    model += mean;
  }
  EXPECT_GT(real, 0);
  EXPECT_NEAR(model / real, 1, 0.01) << real << " s measured, " << model << " s simulated";
}

TEST(SparkRoundTrip, RecordedLogsOnOneExecutor) {
  for (const std::string name :
       {"3.5-sql", "3.5-classic", "3.5-rdd", "4.1-sql", "4.1-classic", "4.1-rdd"}) {
    SCOPED_TRACE(name);
    const std::string log = log_path(name);
    expect_round_trip(log, measured_work(log));
  }
}

TEST(SparkRoundTrip, TheBundledJobMeasuredOnOneExecutor) {
  const std::string log = kData + "1g-6.log.gz";
  std::map<std::string, double> measured = measured_work(log, {"1", "2"});  // those on two
  const double work_s = measured.at("1g:6");
  expect_round_trip(log, {{"1g:6", work_s}});
}

TEST(ImportSpark, TellsWhatWasLeftOut) {
  const std::string out = scratch_path("out.park");
  const Json made =
      json_of({"workload", "import-spark", log_path("4.1-rdd"), "--out", out, "--json"});
  const Json& report = made.at("report");
  EXPECT_GT(report.at("lines"), 100);
  std::map<std::string, int> jobs;
  for (const Json& one : report.at("dropped")) {
    EXPECT_GE(one.at("count"), one.at("examples").size());
    EXPECT_FALSE(one.at("examples").empty());
    if (one.at("what") == "job") jobs[one.at("why")] = one.at("count");
  }
  EXPECT_EQ(jobs, (std::map<std::string, int>{{"a Spark job of it failed", 1},
                                              {"a Spark job of it was cancelled", 1}}));
  const Finished text =
      run_park({"workload", "import-spark", log_path("4.1-rdd"), "--out", out, "--overwrite"});
  EXPECT_NE(text.out.find("left out: 1 job: a Spark job of it failed ("), std::string::npos)
      << text.out;
}

TEST(ImportSpark, NamesWhatIsWrongWithALog) {
  const std::string out = scratch_path("out.park"), log = scratch_path("log");
  std::ofstream(log) << std::string("\x82SNAPPY\0", 8) << "............";
  const Finished snappy = run_park({"workload", "import-spark", log, "--out", out});
  EXPECT_EQ(snappy.code, 2);
  EXPECT_EQ(snappy.out, "");
  EXPECT_NE(snappy.err.find(log + ": compressed with snappy"), std::string::npos) << snappy.err;
  const Finished folder = run_park({"workload", "import-spark", kData, "--out", out});
  EXPECT_EQ(folder.code, 2);
  EXPECT_NE(folder.err.find("events_N_"), std::string::npos) << folder.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(ImportSpark, StopsWhenInterrupted) {
  const std::string pipe = scratch_path("pipe"), out = scratch_path("out.park");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  signal(SIGPIPE, SIG_IGN);  // park may be gone while the test still writes
  Subprocess park({"workload", "import-spark", pipe, "--out", out});
  const int writer = open(pipe.c_str(), O_WRONLY);  // once park has opened it
  ASSERT_GE(writer, 0);
  const std::string event = "{\"Event\":\"Other\",\"text\":\"" + std::string(10'000, 'x') + "\"}\n";
  const auto write_some = [&](int lines) {
    for (int i = 0; i < lines; ++i) {
      if (write(writer, event.data(), event.size()) < 0) return;
    }
  };
  write_some(100);
  park.signal(SIGINT);
  write_some(100);
  close(writer);
  const Finished end = park.finish();
  EXPECT_EQ(end.code, 130);
  EXPECT_EQ(end.out, "");
  EXPECT_NE(end.err.find("interrupted, nothing was written"), std::string::npos) << end.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace import_spark_test
}  // namespace park::cli
