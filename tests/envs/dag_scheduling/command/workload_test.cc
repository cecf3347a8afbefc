// The commands that make and change workloads; run on the binary itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace workload_test {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

Json json_of(Arguments arguments) {
  arguments.insert(arguments.begin(), "workload");
  arguments.push_back("--json");
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  EXPECT_EQ(park.err, "");
  return park.code == 0 ? Json::parse(park.out) : Json();
}

std::string text_of(Arguments arguments) {
  arguments.insert(arguments.begin(), "workload");
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  return park.out;
}

/// Exit code 2 and exactly these lines on stderr.
void expect_bad(Arguments arguments, const std::string& lines) {
  arguments.insert(arguments.begin(), "workload");
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 2) << testing::PrintToString(arguments);
  EXPECT_EQ(park.out, "");
  EXPECT_EQ(park.err, lines);
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = scratch_path(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

constexpr const char* kCsv =
    "job,stage,parents,tasks,mean_s,arrival_s\n"
    "etl,scan,,20,1,100\netl,out,scan,1,4,100\ntrain,,,50,3,40\n";

TEST(WorkloadCommands, EveryOneHasAHelpWithAnExample) {
  for (const char* command :
       {"import-dag", "generate", "filter", "scale", "demand", "export", "merge"}) {
    const std::string help = text_of({command, "--help"});
    EXPECT_NE(help.find("example:\n  park workload " + std::string(command)), std::string::npos);
    EXPECT_NE(help.find("--overwrite"), std::string::npos);
  }
  const std::string help = text_of({"generate", "--help"});
  EXPECT_NE(help.find("--large-share X"), std::string::npos);
  EXPECT_NE(help.find("(default 0.59)"), std::string::npos);
}

TEST(WorkloadCommands, ImportDagWritesJobsAndArrivals) {
  const std::string csv = written("jobs.csv", kCsv);
  const std::string out = scratch_path("jobs.park"), arrivals = scratch_path("arrivals.csv");
  const Json made = json_of({"import-dag", csv, "--out", out, "--arrivals", arrivals});
  EXPECT_EQ(made.at("out"), out);
  EXPECT_EQ(made.at("arrivals"), arrivals);
  EXPECT_EQ(made.at("report").at("jobs"), 2);
  EXPECT_EQ(made.at("report").at("stages"), 3);
  EXPECT_EQ(made.at("report").at("dropped"), Json::array());
  EXPECT_EQ(made.at("workload").at("name"), "jobs");
  EXPECT_EQ(made.at("workload").at("provenance"), "park workload import-dag jobs.csv --form csv");
  EXPECT_EQ(read_text(arrivals), "time_s,job\n0,train\n60,etl\n");
  const Finished run = run_park(
      {"run",
       "dag_scheduling(executors=5,arrival=file,arrivals=" + arrivals + ",workload=" + out + ")",
       "--policy", "fair", "--episodes", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out).at("results")[0].at("metrics").at("jobs_done").at("mean"), 2);
}

TEST(WorkloadCommands, ImportDagRefusesOneFileForJobsAndArrivals) {
  const std::string csv = written("twice.csv", kCsv), out = scratch_path("twice.park");
  expect_bad({"import-dag", csv, "--out", out, "--arrivals", out},
             "error: --arrivals: " + out + " is the file of --out; it must be another\n");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(WorkloadCommands, AreTheActionsOfParkData) {
  const std::string csv = written("both.csv", kCsv), out = scratch_path("both.park");
  const std::vector<std::pair<Arguments, Arguments>> pairs{
      {{"generate", "--jobs", "3"}, {"generate", "--jobs", "3"}},
      {{"import-dag", csv}, {"import", "dag", csv}},
      {{"scale", "bundled", "--tasks", "2"}, {"scale", "bundled", "--tasks", "2"}}};
  for (auto [before, now] : pairs) {
    before.insert(before.begin(), "workload");
    now.insert(now.begin(), {"data", "workload"});
    for (Arguments* arguments : {&before, &now})
      arguments->insert(arguments->end(), {"--out", out, "--overwrite", "--json"});
    const Finished one = run_park(before);
    const std::string file = read_text(out);
    const Finished two = run_park(now);
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, two.out) << two.err;
    EXPECT_EQ(file, read_text(out));
  }
}

TEST(WorkloadCommands, ImportDagTellsWhatItDropped) {
  const std::string trace = written("batch_task.csv",
                                    "M1,20,j_1,1,Terminated,100,130,100,0.5\n"
                                    "R2_1,5,j_1,1,Terminated,130,135,100,1.2\n"
                                    "M1,3,j_2,1,Failed,100,130,100,0.5\n"
                                    "M1,3,j_3,1,Running,100,0,100,0.5\n");
  const std::string out = scratch_path("a.park");
  const std::string text = text_of({"import-dag", trace, "--out", out});
  EXPECT_NE(text.find("4 lines, 1 job kept\ndropped: 2 jobs: a task's status is not Terminated; "
                      "the first is job j_2 ("),
            std::string::npos)
      << text;
  const Json again = json_of({"import-dag", trace, "--form", "alibaba", "--status",
                              "Terminated,Failed", "--out", out, "--overwrite"});
  EXPECT_EQ(again.at("report").at("jobs"), 2);
  EXPECT_EQ(again.at("report").at("dropped")[0].at("jobs"), 1);
}

TEST(WorkloadCommands, ExportAndImportGiveTheSameFile) {
  const std::string json = scratch_path("b.json"), back = scratch_path("b.park");
  const Json made = json_of({"export", "bundled", "--out", json});
  EXPECT_EQ(made.at("out"), json);
  EXPECT_EQ(made.at("bytes"), std::filesystem::file_size(json));
  EXPECT_EQ(Json::parse(read_text(json)).at("jobs").size(), made.at("jobs"));
  (void)json_of({"import-dag", json, "--out", back});
  EXPECT_EQ(read_text(back),
            read_text(std::string(PARK_SOURCE_DIR) + "/data/workloads/tpch/tpch.park"));
}

TEST(WorkloadCommands, GenerateWritesTheSameBytesAgain) {
  const std::string one = scratch_path("1.park"), two = scratch_path("2.park");
  const Json made = json_of({"generate", "--jobs", "30", "--seed", "3", "--out", one});
  EXPECT_EQ(made.at("workload").at("jobs"), 30);
  EXPECT_EQ(made.at("workload").at("name"), "synthetic");
  (void)json_of({"generate", "--seed", "3", "--jobs", "30", "--out", two});
  EXPECT_EQ(read_text(one), read_text(two));
  (void)json_of({"generate", "--seed", "4", "--jobs", "30", "--out", two, "--overwrite"});
  EXPECT_NE(read_text(one), read_text(two));
}

TEST(WorkloadCommands, FilterAndScaleSayWhatTheyDid) {
  const std::string all = scratch_path("all.park"), some = scratch_path("some.park");
  (void)json_of({"generate", "--jobs", "30", "--out", all});
  const Json filtered =
      json_of({"filter", all, "--max-stages", "3", "--match", "dag-?", "--out", some});
  for (const Json& job : filtered.at("workload").at("per_job")) {
    EXPECT_LE(job.at("stages"), 3);
    EXPECT_EQ(job.at("name").get<std::string>().size(), 5U);
  }
  const std::string how = filtered.at("workload").at("provenance");
  EXPECT_NE(how.find("\npark workload filter all.park --match \"dag-?\" --max-stages 3 ("),
            std::string::npos)
      << how;
  const Json scaled = json_of({"scale", some, "--durations", "2", "--out", all, "--overwrite"});
  EXPECT_NEAR(scaled.at("workload").at("total").at("work_s").get<double>(),
              2 * filtered.at("workload").at("total").at("work_s").get<double>(), 1e-6);
  const std::string text = text_of({"describe", all});
  EXPECT_NE(text.find("\npark workload scale some.park --durations 2\n"), std::string::npos)
      << text;
}

TEST(WorkloadCommands, DemandMakesClassesOfExecutorsMatter) {
  const std::string jobs = scratch_path("jobs.park"), needy = scratch_path("needy.park");
  (void)json_of({"generate", "--jobs", "10", "--out", jobs});
  (void)json_of({"demand", jobs, "--memory", "uniform", "--seed", "3", "--out", needy});
  EXPECT_NE(text_of({"describe", needy}).find("\npark workload demand jobs.park --seed 3\n"),
            std::string::npos);
  const auto run = [&](const std::string& largest) {
    return run_park({"run",
                     "dag_scheduling(executors=4,jobs=3,classes=[class(share=0.5,memory=0.25),"
                     "class(share=0.5,memory=" +
                         largest + ")],workload=" + needy + ")",
                     "--policy", "tetris", "--episodes", "1", "--json"});
  };
  EXPECT_EQ(run("1").code, 0);
  const Finished refused = run("0.3");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("which no class of executors has"), std::string::npos) << refused.err;
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
}

TEST(WorkloadCommands, PeopleSeeTheFirstHundredJobs) {
  const std::string path = scratch_path("many.park");
  const std::string text = text_of({"generate", "--jobs", "150", "--out", path});
  EXPECT_NE(text.find("\ndag-99 "), std::string::npos);
  EXPECT_EQ(text.find("\ndag-100 "), std::string::npos);
  EXPECT_NE(text.find("and 50 more jobs; --json lists all\nall "), std::string::npos) << text;
  EXPECT_EQ(json_of({"describe", path}).at("workload").at("per_job").size(), 150U);
}

TEST(WorkloadCommands, NameTheFaultAndWhatIsAllowed) {
  const std::string csv = written("bad.csv", "job,tasks,mean_s\na,0,1\nb,1,-1\n");
  const std::string good = written("good.csv", "job,tasks,mean_s\na,1,1\n");
  const std::string out = scratch_path("x.park"), missing = scratch_path("missing");
  const std::string five = scratch_path("five.park");
  (void)json_of({"generate", "--jobs", "5", "--out", five});
  expect_bad({"import-dag", csv, "--out", out},
             "error: " + csv +
                 ":2: job a stage 0: tasks = 0 must be a whole number from 1 to 10000000\n"
                 "error: " +
                 csv +
                 ":3: job b stage 0: mean_s = -1 must be a number above 0 and at most 100000\n");
  expect_bad({"import-dag", good, "--out", out, "--arrivals", missing},
             "error: --arrivals: jobs without arrival_s: 1 of 1; all must have one\n");
  expect_bad({"import-dag", good, "--out", out, "--form", "xml"},
             "error: --form: \"xml\" is not auto, json, csv or alibaba\n");
  expect_bad({"generate", "--out", out, "--jobs", "0", "--large-share", "1.5"},
             "error: --jobs = 0 is outside [1, 1000000]\n"
             "error: --large-share = 1.5 is outside [0, 1]\n");
  expect_bad({"generate", "--out", out, "--tasks-median", "9", "--tasks-max", "8"},
             "error: --tasks-median = 9 is above --tasks-max = 8\n");
  expect_bad({"generate", "--out", out, "--inflation", "some"},
             "error: --inflation = some is not one of none, model\n");
  expect_bad({"filter", "bundled", "--out", out, "--min-work-s", "x"},
             "error: --min-work-s = x is not a number in [0, inf]\n");
  expect_bad({"filter", five, "--out", out, "--match", "nothing"},
             "error: five.park: the filter leaves none of 5 jobs\n");
  expect_bad({"scale", "bundled", "--out", out, "--tasks", "0"},
             "error: --tasks = 0 is outside [1e-06, 1000000]\n");
  expect_bad({"demand", "bundled", "--out", out, "--memory", "beta(2)"},
             "error: --memory = beta(2) is not uniform or beta(A,B) with shapes from 0.01 to 1000, "
             "such as beta(2,5)\n");
  expect_bad({"export", "bundled", "--out", good},
             "error: --out: " + good + " exists; give --overwrite to replace it\n");
  for (const char* command : {"filter", "scale", "export"})
    EXPECT_EQ(run_park({"workload", command, missing, "--out", out}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(missing));
}

}  // namespace workload_test
}  // namespace park::cli
