// Job graphs in CSV: what is read, and what is said about wrong lines.
#include <gtest/gtest.h>

#include "tests/envs/dag_scheduling/workload/dag_support.h"
#include "tests/kit/packing.h"

namespace park::test {
namespace dag_csv_test {

using dag_scheduling::Wave;
using dag_scheduling::workload::DagForm;

std::string error(const std::string& text) { return import_error(DagForm::csv, text); }

TEST(DagCsv, ReadsStagesInAnyOrderOfColumnsAndRows) {
  const std::string text =
      "tasks,job,parents,stage,durations_s,memory,cpus,arrival_s\r\n"
      "3,\"etl, daily\",,scan,1;2.5,0.5,,100\r\n"
      "4,train,,,9,,2,3\n"
      "\n"
      "5,\"etl, daily\",scan;sort,join,0.25,,,\n"
      "1,\"etl, daily\",,sort,7,,,100";
  const Imported all = import_form(DagForm::csv, {text});
  ASSERT_EQ(all.workload.jobs().size(), 2U);
  EXPECT_EQ(all.workload.jobs()[0].name, "etl, daily");
  const dag_scheduling::JobProfile etl = job_called(all.workload, "etl, daily");
  ASSERT_EQ(etl.stages.size(), 3U);
  EXPECT_EQ(etl.stages[0].cells[0].durations_ms, (std::vector<std::uint32_t>{1000, 2500}));
  EXPECT_EQ(etl.stages[0].memory, 0.5F);
  EXPECT_EQ(etl.stages[0].cpus, 1);
  EXPECT_EQ(etl.stages[1].parents, (std::vector<std::uint16_t>{0, 2}));
  EXPECT_EQ(etl.stages[2].tasks, 1);
  EXPECT_EQ(job_called(all.workload, "train").stages[0].cpus, 2);
  ASSERT_EQ(all.report.arrivals.size(), 2U);
  EXPECT_EQ(dag_scheduling::workload::arrivals_csv(all.report.arrivals),
            "time_s,job\n0,train\n97,etl, daily\n");
  EXPECT_EQ(all.report.lines, 6U);
  EXPECT_EQ(all.workload.provenance(), "park workload import-dag file --form csv");
}

TEST(DagCsv, MoreLinesOfAStageAreMoreCells) {
  const Imported one = import_form(DagForm::csv, {"job,stage,tasks,wave,executors,mean_s\n"
                                                  "j,a,2,rest,5,1\n"
                                                  "j,b,2,,,1\n"
                                                  "j,a,2,first,5,3\n"
                                                  "j,a,2,rest,10,2\n"});
  const dag_scheduling::JobProfile job = job_called(one.workload, "j");
  ASSERT_EQ(job.stages.size(), 2U);
  using Cells = std::vector<dag_scheduling::StageProfile::Cell>;
  EXPECT_EQ(job.stages[0].cells,
            (Cells{{Wave::first, 5, {3000}}, {Wave::rest, 5, {1000}}, {Wave::rest, 10, {2000}}}));
  EXPECT_EQ(job.stages[1].cells, (Cells{{Wave::rest, 1, {1000}}}));
}

TEST(DagCsv, SaysWhatIsWrongWhereAndWhatIsAllowed) {
  const std::string head = "job,stage,parents,tasks,mean_s\n";
  EXPECT_EQ(error(head + "j,a,,0,1\n"),
            "file:2: job j stage a: tasks = 0 must be a whole number from 1 to 10000000");
  EXPECT_EQ(error(head + "j,a,,x,1\n"),
            "file:2: job j stage a: tasks = x must be a whole number from 1 to 10000000");
  EXPECT_EQ(error(head + "j,a,,,1\n"), "file:2: job j stage a: tasks is missing");
  EXPECT_EQ(error(head + "j,a,,1,-1\n"),
            "file:2: job j stage a: mean_s = -1 must be a number above 0 and at most 100000");
  EXPECT_EQ(error(head + "j,a,,1,nan\n").substr(0, 36), "file:2: job j stage a: mean_s = nan ");
  EXPECT_EQ(error(head + "j,a,,1,\n"), "file:2: job j stage a: needs durations_s or mean_s");
  EXPECT_EQ(error(head + "j,a,b,1,1\n"),
            "file:2: job j stage a: the parent b is no stage of the job; the nearest is a");
  EXPECT_EQ(error(head + "j,a,b,1,1\nj,b,a,1,1\n"),
            "file:2: job j: its stages form a cycle: a <- b <- a");
  EXPECT_EQ(error(head + "j,a,,1,1\nj,a,,1,1\n"),
            "file:3: job j stage a: durations of wave rest at executors = 1 are given twice");
  EXPECT_EQ(error(head + "j,a,,1,1\nj,a,,2,1\n"),
            "file:3: job j stage a: parents, tasks, cpus and memory must be as in line 2, where "
            "the stage is for the first time");
  EXPECT_EQ(error(head + "j,a,,1\n"), "file:2: there are 4 fields, the first line names 5");
  EXPECT_EQ(error(head + ",a,,1,1\n"), "file:2: job is empty");
  EXPECT_EQ(error(head + "j,\"a,,1,1\n"), "file:2: a quoted field does not end on its line");
  EXPECT_EQ(error(head + "j\tk,,,1,1\n"),
            "file:2: job j\\x09k: a name must be 1 to 256 bytes without control characters");
  EXPECT_EQ(error(head), "file: it has no jobs");
  EXPECT_EQ(error(""), "file: it is empty");
  EXPECT_EQ(error("job,tasks,meen_s\n"), "file:1: unknown column meen_s; did you mean mean_s?");
  EXPECT_EQ(error("job,tasks,job\n").substr(0, 40), "file:1: the column job is given twice\nfi");
  EXPECT_EQ(error("job,mean_s\n"), "file:1: the column tasks is missing");
  EXPECT_EQ(error("job,tasks,durations_s\nj,1,1;x\n"),
            "file:2: job j stage 0: durations_s holds x, each must be a number above 0 and at most "
            "4294967.295");
  EXPECT_EQ(error("job,tasks,mean_s,wave\nj,1,1,late\n"),
            "file:2: job j stage 0: wave = late must be fresh, first or rest");
  EXPECT_EQ(error("job,tasks,mean_s,arrival_s\nj,1,1,5\nj,1,1,6\n"),
            "file:3: job j: arrival_s = 6, but 5 in a line above");
}

TEST(DagImport, TellsTheFormOfAFile) {
  const auto form = [](const std::string& head) {
    return dag_scheduling::workload::detect_form(head, "f");
  };
  EXPECT_EQ(form(" \n{\"jobs\""), DagForm::json);
  EXPECT_EQ(form("stage,job,tasks\nx"), DagForm::csv);
  EXPECT_EQ(form("\"job\",\"tasks\""), DagForm::csv);
  EXPECT_EQ(form("M1,2,j_1,1,Terminated,1,2,100,0.5\n"), DagForm::alibaba);
  EXPECT_EQ(
      error_of([&] { (void)form("a,b,c"); }),
      "f:1: no form of job graphs: json begins with {, csv with a line that names the columns "
      "job and tasks, alibaba has 9 columns; see docs/workload-format.md");
  EXPECT_NE(error_of([&] { (void)form(""); }), "no error");
}

TEST(DagImport, TakesFilesOfSeveralFormsPlainOrGzipped) {
  const ScratchFolder folder("dag");
  const std::string csv = folder.file("night.v2.csv.gz"), json = folder.file("day.json");
  write_text(csv, gzip("job,tasks,mean_s\na,1,1\n"));
  write_text(json, R"({"jobs": [{"name": "b", "stages": [{"tasks": 1, "mean_s": 1}]}]})");
  dag_scheduling::workload::DagImportReport report;
  std::uint64_t bytes = 0;
  dag_scheduling::workload::DagImportOptions options;
  options.progress = [&](std::uint64_t more) { bytes += more; };
  const dag_scheduling::Workload both =
      dag_scheduling::workload::import_dag({csv, json}, std::nullopt, options, report);
  EXPECT_EQ(both.name(), "night");
  EXPECT_EQ(both.jobs().size(), 2U);
  EXPECT_EQ(both.provenance(),
            "park workload import-dag night.v2.csv.gz --form csv\n"
            "park workload import-dag day.json --form json");
  EXPECT_EQ(bytes, read_text(csv).size() + read_text(json).size());
  EXPECT_NE(error_of([&] {
              (void)dag_scheduling::workload::import_dag({csv}, DagForm::json, options, report);
            }).find(":1: no JSON: "),
            std::string::npos);
  write_text(csv, gzip("job,tasks,mean_s\na,1,1\n").substr(0, 30));
  EXPECT_NE(error_of([&] {
              (void)dag_scheduling::workload::import_dag({csv}, DagForm::csv, options, report);
            }),
            "no error");
}

TEST(DagImport, InflationOfFilesMustAgreeUnlessGiven) {
  const auto file = [](const std::string& name, const std::string& inflation) {
    return R"({"inflation": )" + inflation + R"(, "jobs": [{"name": ")" + name +
           R"(", "stages": [{"tasks": 1, "mean_s": 1}]}]})";
  };
  const std::string law = R"({"slope": 1, "power": 1})";
  const std::string with = file("a", R"({"fitted_to": 9, "fresh": )" + law + R"(, "first": )" +
                                         law + R"(, "rest": )" + law + "}");
  const std::string without = file("b", "null");
  EXPECT_EQ(error_of([&] {
              (void)import_form(DagForm::json, {with, without});
            }),
            "file: its inflation differs from that of file; give model or none");
  dag_scheduling::workload::DagImportOptions options;
  options.inflation = dag_scheduling::Inflation{};
  EXPECT_FALSE(import_form(DagForm::json, {with, without}, options).workload.inflation().present);
}

TEST(DagImport, ChoosesJobsByAHashOfTheirNames) {
  std::string csv = "job,tasks,mean_s\n", json = "{\"jobs\": [";
  for (int j = 0; j < 1000; ++j) {
    csv += "job" + std::to_string(j) + ",1,1\n";
    json += std::string(j > 0 ? "," : "") + "{\"name\": \"job" + std::to_string(j) +
            "\", \"stages\": [{\"tasks\": 1, \"mean_s\": 1}]}";
  }
  json += "]}";
  dag_scheduling::workload::DagImportOptions options;
  options.one_in = 5;
  const Imported of_csv = import_form(DagForm::csv, {csv}, options);
  const Imported of_json = import_form(DagForm::json, {json}, options);
  EXPECT_GT(of_csv.report.jobs, 150U);
  EXPECT_LT(of_csv.report.jobs, 250U);
  ASSERT_EQ(of_csv.report.jobs, of_json.report.jobs);
  for (std::size_t j = 0; j < of_csv.workload.jobs().size(); ++j)
    EXPECT_EQ(of_csv.workload.jobs()[j].name, of_json.workload.jobs()[j].name);
  options.max_jobs = 20;
  const Imported few = import_form(DagForm::csv, {csv}, options);
  EXPECT_EQ(few.report.jobs, 20U);
  EXPECT_EQ(few.workload.jobs()[19].name, of_csv.workload.jobs()[19].name);
  EXPECT_EQ(few.workload.provenance(),
            "park workload import-dag file --form csv --one-in 5 --max-jobs 20");
}

}  // namespace dag_csv_test
}  // namespace park::test
