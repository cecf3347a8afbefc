// `park data jobs`; run on the binary itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/envs/dl_cluster/recorded.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace jobs_command_test {

using Json = nlohmann::json;

Finished import_jobs_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"data", "jobs", "import"});
  return run_park(arguments);
}

std::string recorded_jobs(const std::string& name, const std::string& text) {
  const std::string path = scratch_path(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(JobsCommand, ImportsWhatEnvironmentsPlay) {
  using namespace test;
  const std::string file = recorded_jobs(
      "cluster_log.csv", kHeliosHeader + helios_row("4", "2020-06-09 00:00:00", "249") +
                             helios_row("1", "2020-06-09 00:10:00", "3600") +
                             helios_row("0", "2020-06-09 00:20:00", "1"));
  const std::string out = scratch_path("helios-jobs.csv");
  const Finished made = import_jobs_of({"helios", file, "--out", out, "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report.at("jobs"), 2);
  EXPECT_EQ(report.at("not_run"), 1);
  EXPECT_EQ(report.at("rows"), 3);
  EXPECT_EQ(read_text(out), "submit_s,gpus,run_s\n0,4,249\n600,1,3600\n");
  const Finished played =
      run_park({"run", "dl_cluster(model=allreduce,nodes=2,jobs=4,trace=\"" + out + "\")",
                "--policy", "srsf", "--episodes", "2", "--json"});
  EXPECT_EQ(played.code, 0) << played.err;
}

TEST(JobsCommand, JoinsTheTablesOfAlibaba2020) {
  using namespace test;
  const std::string jobs =
      recorded_jobs("pai_job_table.csv", pai_job("a", "100.0") + pai_job("b", "130.5", "Failed") +
                                             pai_job("c", "160.0"));
  const std::string tasks =
      recorded_jobs("pai_task_table.csv", pai_task("a", "2.0", "110.0", "7310.0", "50.0") +
                                              pai_task("b", "8.0", "140.0", "200.0", "100.0") +
                                              pai_task("c", "8.0", "200.0", "1100.0", "100.0"));
  const std::string out = scratch_path("pai-jobs.csv");
  const Finished made =
      import_jobs_of({"alibaba2020", jobs, tasks, "--take", "completed", "--out", out});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "wrote " + out +
                          ": 2 jobs in 1 min 00 s, 4 GPU hours\n"
                          "left out: 1 job that did not end well\n");
  EXPECT_EQ(read_text(out), "submit_s,gpus,run_s\n0,1,7200\n60,8,900\n");
}

TEST(JobsCommand, LeavesNoFileWhereItRefuses) {
  using namespace test;
  const std::string file = recorded_jobs("cluster_job_log", "[" + philly_job("x", "") + "]");
  const std::string out = scratch_path("no-jobs.csv");
  const Finished refused = import_jobs_of({"philly", file, "--out", out});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err,
            "error: 1 of 1 rows are broken; at most 1 % may be\n"
            "error: cluster_job_log:1: submitted_time = 'x' must be as 2017-10-07 01:11:39\n");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace jobs_command_test
}  // namespace park::cli
