// The importer of Spark's event logs on synthetic logs: jobs, stages, samples, and what is left
// out.
#include "park/envs/dag_scheduling/workload/import_spark.h"

#include <gtest/gtest.h>

#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"
#include "tests/envs/dag_scheduling/workload/synthetic_log.h"
#include "tests/kit/packing.h"

namespace park::test {
namespace import_spark_test {

using dag_scheduling::JobProfile;
using dag_scheduling::Wave;
using dag_scheduling::Workload;
using dag_scheduling::workload::SparkImportOptions;
using dag_scheduling::workload::SparkImportReport;
using Cells = std::vector<dag_scheduling::StageProfile::Cell>;

JobProfile only_job(const Workload& workload) {
  EXPECT_EQ(workload.jobs().size(), 1U);
  return dag_scheduling::job_profile(workload, workload.jobs()[0]);
}

std::string import_error(const std::vector<std::string>& texts,
                         const SparkImportOptions& options = {}) {
  return error_of([&] { (void)import_texts(texts, options); });
}

bool has_note(const SparkImportReport& report, const std::string& note) {
  return std::find(report.notes.begin(), report.notes.end(), note) != report.notes.end();
}

/// The lines "count what: why (examples)" of what was left out, then of the remarks.
std::vector<std::string> lines_of(const SparkImportReport& report) {
  std::vector<std::string> lines;
  for (const auto* counts : {&report.dropped, &report.remarks}) {
    for (const dag_scheduling::workload::SparkCount& one : *counts) {
      std::string line = std::to_string(one.count) + ' ' + one.what + ": " + one.why + " (";
      for (const std::string& example : one.examples)
        line += (line.ends_with('(') ? "" : ", ") + example;
      lines.push_back(line + ")");
    }
  }
  return lines;
}
using Lines = std::vector<std::string>;

/// Two stages on two executors: 0 with three tasks, 1 with one.
SyntheticLog two_stages(const std::string& name = "q", const std::string& run = "1",
                        std::int64_t start = 100, int first_stage = 0) {
  SyntheticLog log;
  const int a = first_stage, b = first_stage + 1;
  log.executor("x").executor("y").named_job(0, name, run, {{a, 3 + a, 3, {}}, {b, 5 + a, 1, {a}}});
  log.task({a, 0, "x", start, start + 900});
  log.task({a, 1, "y", start, start + 950});
  log.task({a, 2, "x", start + 900, start + 1000, "Success", false, 80, 70'000'000});
  log.task({b, 0, "y", start + 1000, start + 1020});
  return log.job_end(0);
}

TEST(ImportSpark, ReadsStagesWavesAndLevels) {
  SparkImportReport report;
  const Workload workload = import_texts({two_stages().text()}, {}, &report);
  const JobProfile job = only_job(workload);
  EXPECT_EQ(job.name, "q");
  ASSERT_EQ(job.stages.size(), 2U);
  EXPECT_EQ(job.stages[0].tasks, 3);
  EXPECT_EQ(job.stages[0].cpus, 1);
  EXPECT_EQ(job.stages[0].memory, 0);
  EXPECT_EQ(job.stages[0].run_s, 0.08);
  EXPECT_EQ(job.stages[0].cpu_s, 0.07);
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::fresh, 2, {900, 950}}, {Wave::rest, 2, {100}}}));
  EXPECT_EQ(job.stages[1].parents, std::vector<std::uint16_t>{0});
  EXPECT_EQ(job.stages[1].cells, (Cells{{Wave::first, 2, {20}}}));
  EXPECT_TRUE(workload.inflation().present);
  EXPECT_NE(workload.provenance().find("Spark 4.1.3"), std::string::npos);
  EXPECT_EQ(report.jobs, 1U);
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(report.samples, 4U);
  EXPECT_TRUE(report.notes.empty());
}

TEST(ImportSpark, TheOrderOfEventsDoesNotMatter) {
  SyntheticLog log = two_stages();
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < log.text().size();) {
    const std::size_t end = log.text().find('\n', at) + 1;
    lines.push_back(log.text().substr(at, end - at));
    at = end;
  }
  // Tasks from the last to the first, between the job's start and end.
  std::reverse(lines.begin() + 5, lines.end() - 1);
  std::string text;
  for (const std::string& line : lines) text += line;
  EXPECT_EQ(dag_scheduling::workload_bytes(import_texts({text})),
            dag_scheduling::workload_bytes(import_texts({log.text()})));
}

TEST(ImportSpark, NeedsNoTaskStarts) {
  SyntheticLog log;
  log.task_starts = false;
  log.executor("x").named_job(0, "q", "1", {{0, 3, 2, {}}});
  log.tasks(0, 2, "x", 100, 10).job_end(0);
  const JobProfile job = only_job(import_texts({log.text()}));
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::fresh, 1, {10}}, {Wave::rest, 1, {10}}}));
}

TEST(ImportSpark, LinksSkippedStagesToTheirTwins) {
  SyntheticLog log;
  log.executor("x");
  log.named_job(0, "q", "1", {{0, 10, 2, {}}, {1, 20, 1, {0}}});
  log.tasks(0, 2, "x", 0, 10).tasks(1, 1, "x", 20, 5).job_end(0);
  // The second Spark job names both again under new ids and runs what is new.
  log.named_job(1, "q", "1", {{2, 10, 2, {}}, {3, 21, 4, {2}}, {4, 22, 1, {3}}});
  log.tasks(3, 4, "x", 100, 7).tasks(4, 1, "x", 200, 3).job_end(1);
  const JobProfile job = only_job(import_texts({log.text()}));
  ASSERT_EQ(job.stages.size(), 4U);
  EXPECT_EQ(job.stages[2].tasks, 4);
  EXPECT_EQ(job.stages[2].parents, std::vector<std::uint16_t>{0}) << "by its skipped twin";
  EXPECT_EQ(job.stages[3].parents, std::vector<std::uint16_t>{2});
  EXPECT_EQ(job.stages[2].cells[0].wave, Wave::first) << "not fresh: the job was there before";
}

TEST(ImportSpark, AStageThatRanTwiceIsTwoStages) {
  SyntheticLog log;
  log.executor("x");
  log.named_job(0, "q", "1", {{0, 10, 1, {}}, {1, 20, 2, {0}}});
  log.tasks(0, 1, "x", 0, 10).tasks(1, 2, "x", 20, 5).job_end(0);
  log.named_job(1, "q", "1", {{2, 10, 1, {}}, {3, 20, 2, {2}}});
  log.tasks(3, 2, "x", 100, 6).job_end(1);
  const JobProfile job = only_job(import_texts({log.text()}));
  ASSERT_EQ(job.stages.size(), 3U);
  EXPECT_EQ(job.stages[2].tasks, 2);
  EXPECT_EQ(job.stages[2].parents, std::vector<std::uint16_t>{0});
}

TEST(ImportSpark, EdgesFromStagesThatNeverRanAreDropped) {
  SyntheticLog log;
  log.executor("x").named_job(0, "q", "1", {{0, 10, 1, {}}, {1, 20, 1, {0}}});
  log.tasks(1, 1, "x", 0, 10).job_end(0);
  SparkImportReport report;
  const JobProfile job = only_job(import_texts({log.text()}, {}, &report));
  ASSERT_EQ(job.stages.size(), 1U);
  EXPECT_TRUE(job.stages[0].parents.empty());
  EXPECT_EQ(lines_of(report),
            Lines{"1 edge: from a stage that did not run in its job (a: job q run 1)"});
}

TEST(ImportSpark, OrdersStagesByJobThenByRdd) {
  SyntheticLog log;  // Spark numbers sibling stages in no fixed order
  log.executor("x").named_job(0, "q", "1", {{7, 10, 1, {}}, {6, 20, 2, {}}, {8, 30, 1, {6, 7}}});
  log.tasks(6, 2, "x", 0, 10).tasks(7, 1, "x", 20, 10).tasks(8, 1, "x", 30, 10).job_end(0);
  const JobProfile job = only_job(import_texts({log.text()}));
  EXPECT_EQ(job.stages[0].tasks, 1);
  EXPECT_EQ(job.stages[1].tasks, 2);
  EXPECT_EQ(job.stages[2].parents, (std::vector<std::uint16_t>{0, 1}));
}

TEST(ImportSpark, MergesRunsOfOneLogAndOfSeveral) {
  SyntheticLog log = two_stages("q", "1");
  log.named_job(1, "q", "2", {{10, 13, 3, {}}, {11, 15, 1, {10}}});
  log.tasks(10, 3, "x", 5000, 10).tasks(11, 1, "x", 6000, 40).job_end(1);
  SparkImportReport report;
  const Workload workload = import_texts({log.text(), two_stages("q", "1").text()}, {}, &report);
  const JobProfile job = only_job(workload);
  EXPECT_EQ(report.executions, 3U);
  EXPECT_EQ(job.stages[0].tasks, 3);
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::fresh, 2, {900, 950, 10, 900, 950}},
                                        {Wave::rest, 2, {100, 10, 10, 100}}}));
  EXPECT_EQ(job.stages[0].run_s, 0.16);
}

TEST(ImportSpark, RunsWithOtherGraphsAreLeftOut) {
  SyntheticLog log = two_stages("q", "1");
  log.named_job(1, "q", "2", {{10, 13, 3, {}}});
  log.tasks(10, 3, "x", 5000, 10).job_end(1);
  SyntheticLog other;
  other.executor("x").named_job(0, "q", "1", {{0, 3, 2, {}}, {1, 5, 1, {0}}});
  other.tasks(0, 2, "x", 0, 9).tasks(1, 1, "x", 20, 9).job_end(0);
  SparkImportReport report;
  const Workload workload = import_texts({log.text(), other.text()}, {}, &report);
  EXPECT_EQ(dag_scheduling::workload_bytes(workload),
            dag_scheduling::workload_bytes(import_texts({two_stages("q", "1").text()})));
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(lines_of(report),
            Lines{"2 execution: its graph differs from that of an earlier one of the same name "
                  "(a: job q run 2: it has 2 stages in one and 1 in another, "
                  "b: job q run 1: stage 0 has 3 tasks in one and 2 in another)"});
}

TEST(ImportSpark, RunsNumberedInAnotherOrderAreMatched) {
  const auto run = [](int small_rdd, int large_rdd) {
    SyntheticLog log;
    log.executor("x");
    log.named_job(0, "q", "1", {{0, small_rdd, 1, {}}, {1, large_rdd, 2, {}}, {2, 9, 3, {0, 1}}});
    log.tasks(0, 1, "x", 0, 10).tasks(1, 2, "x", 100, 20).tasks(2, 3, "x", 200, 30);
    return log.job_end(0).text();
  };
  const JobProfile job = only_job(import_texts({run(4, 5), run(5, 4)}));
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::fresh, 1, {10, 10}}}));
  EXPECT_EQ(job.stages[1].cells, (Cells{{Wave::first, 1, {20, 20}}, {Wave::rest, 1, {20, 20}}}));
}

TEST(ImportSpark, DropsWhatIsNoGoodTask) {
  SyntheticLog log;
  log.executor("x").executor("y").named_job(0, "q", "1", {{0, 3, 2, {}}});
  log.task({0, 0, "x", 0, 50, "ExceptionFailure"});
  log.task({0, 0, "x", 60, 90});
  log.task({0, 1, "x", 90, 200});
  log.task({0, 1, "y", 150, 190, "Success", true});
  log.task({0, 1, "y", 195, 205, "TaskKilled"});
  log.job_end(0);
  SparkImportReport report;
  const JobProfile job = only_job(import_texts({log.text()}, {}, &report));
  EXPECT_EQ(job.stages[0].tasks, 2);
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::rest, 2, {30, 110}}}));
  EXPECT_EQ(
      lines_of(report),
      (Lines{"1 task: failed: ExceptionFailure (a: job q run 1)", "1 task: killed (a: job q run 1)",
             "1 task: a speculative copy of one that succeeded itself (a: job q run 1)"}));
}

TEST(ImportSpark, DropsDurationsThatCannotBe) {
  SyntheticLog log;
  log.executor("x").named_job(0, "q", "1", {{0, 3, 3, {}}});
  log.task({0, 0, "x", 100, 90}).task({0, 1, "x", 100, 100}).task({0, 2, "x", 110, 5'000'000'000});
  log.job_end(0);
  SparkImportReport report;
  const JobProfile job = only_job(import_texts({log.text()}, {}, &report));
  EXPECT_EQ(job.stages[0].tasks, 1);
  EXPECT_EQ(job.stages[0].cells[0].durations_ms, std::vector<std::uint32_t>{1});
  EXPECT_EQ(lines_of(report),
            (Lines{"2 task: finished before its launch or 49 days behind it (a: job q run 1)",
                   "1 task: of less than 1 ms counts as 1 ms (a: job q run 1)",
                   "1 stage: ran only some of its tasks, and has those (a: job q run 1)"}));
}

TEST(ImportSpark, LeavesOutFailedAndUnfinishedRuns) {
  SyntheticLog log = two_stages("q", "1");
  log.named_job(1, "q", "2", {{10, 13, 3, {}}}).tasks(10, 1, "x", 5000, 10).job_end(1, false);
  log.named_job(2, "q", "3", {{20, 23, 3, {}}}).tasks(20, 1, "x", 6000, 10);
  log.named_job(3, "q", "4", {{30, 33, 3, {}}}).job_end(3);
  log.task({20, 1, "x", 7000, 0, "Success", false, 0, 0, true});
  SparkImportReport report;
  const JobProfile job = only_job(import_texts({log.text()}, {}, &report));
  EXPECT_EQ(job.stages.size(), 2U);
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(lines_of(report), (Lines{"1 task: its end is not in the log (a: job q run 3)",
                                     "1 job: a Spark job of it failed (a: job q run 2)",
                                     "1 job: its end is not in the log (a: job q run 3)",
                                     "1 job: it ran no task (a: job q run 4)"}));
}

TEST(ImportSpark, ExcludesByName) {
  SyntheticLog log = two_stages("q", "1");
  log.named_job(1, "warmup", "0", {{10, 13, 1, {}}}).tasks(10, 1, "x", 5000, 10).job_end(1);
  SparkImportOptions options;
  options.exclude = {"warmup", "setup"};
  SparkImportReport report;
  EXPECT_EQ(only_job(import_texts({log.text()}, options, &report)).name, "q");
  EXPECT_EQ(report.excluded_executions, 1U);
  options.exclude.push_back("q");
  EXPECT_EQ(import_error({log.text()}, options), "a: no finished job that is not excluded");
}

TEST(ImportSpark, NamesJobsWithoutTags) {
  SyntheticLog log;
  log.executor("x");
  const auto job = [&](int id, const std::string& properties) {
    log.job(id, properties, {{id, 10 + id, 1, {}}}).tasks(id, 1, "x", 100 * id, 10).job_end(id);
  };
  job(0,
      R"("spark.sql.execution.id":"7","spark.sql.execution.root.id":"6","spark.jobGroup.id":"g",)");
  job(1, R"("spark.sql.execution.id":"6",)");
  job(2, R"("spark.jobGroup.id":"g",)");
  job(3, "");
  job(4, R"("park.job":"p","spark.sql.execution.root.id":"6",)");
  const Workload workload = import_texts({log.text()});
  std::vector<std::string> names;
  for (const Workload::Job& one : workload.jobs()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"app-1/sql:6", "app-1/group:g", "app-1/job:3", "p"}));
  EXPECT_EQ(workload.jobs()[0].stages, 2U) << "both executions with the root 6";
}

TEST(ImportSpark, ASharedClusterCountsTheExecutorsOfTheJob) {
  SyntheticLog log;
  log.executor("x").executor("y").executor("z");
  log.named_job(0, "p", "1", {{0, 3, 2, {}}}).named_job(1, "q", "1", {{1, 4, 2, {}}});
  log.task({0, 0, "x", 0, 100});    // alone: all three
  log.task({1, 0, "y", 50, 150});   // p is running: q holds one
  log.task({0, 1, "z", 60, 160});   // p holds two
  log.task({1, 1, "x", 200, 210});  // alone again
  log.job_end(0).job_end(1);
  const Workload workload = import_texts({log.text()});
  const JobProfile p = dag_scheduling::job_profile(workload, workload.jobs()[0]);
  const JobProfile q = dag_scheduling::job_profile(workload, workload.jobs()[1]);
  EXPECT_EQ(p.stages[0].cells, (Cells{{Wave::fresh, 2, {100}}, {Wave::fresh, 3, {100}}}));
  EXPECT_EQ(q.stages[0].cells, (Cells{{Wave::fresh, 1, {100}}, {Wave::fresh, 3, {10}}}));
}

TEST(ImportSpark, CountsExecutorsThatAreAlive) {
  SyntheticLog log;
  log.executor("x").executor("y", 1, 150).named_job(0, "q", "1", {{0, 3, 3, {}}});
  log.task({0, 0, "x", 100, 140}).task({0, 1, "x", 160, 170});
  log.executor_removed("y", 180).task({0, 2, "x", 190, 195}).job_end(0);
  const JobProfile job = only_job(import_texts({log.text()}));
  EXPECT_EQ(job.stages[0].cells,
            (Cells{{Wave::fresh, 1, {40}}, {Wave::rest, 1, {5}}, {Wave::rest, 2, {10}}}));
}

TEST(ImportSpark, CoresCountAsExecutors) {
  SyntheticLog log;
  log.executor("x", 4);
  log.job(0, R"("park.job":"q","spark.task.cpus":"2",)", {{0, 3, 4, {}}});
  log.task({0, 0, "x", 0, 100}).task({0, 1, "x", 0, 90});
  log.task({0, 2, "x", 90, 120}).task({0, 3, "x", 99, 130}).job_end(0);
  const JobProfile job = only_job(import_texts({log.text()}));
  EXPECT_EQ(job.stages[0].cpus, 2);
  // The last one is launched a moment before the driver has seen the end of the task before it.
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::fresh, 2, {100, 90}}, {Wave::rest, 2, {30, 31}}}));
}

TEST(ImportSpark, AnExecutorIsFreshOncePerRun) {
  SyntheticLog log = two_stages("q", "1");
  log.named_job(1, "p", "1", {{10, 13, 1, {}}}).tasks(10, 1, "x", 5000, 10).job_end(1);
  log.named_job(2, "q", "2", {{20, 23, 3, {}}, {21, 25, 1, {20}}});
  log.tasks(20, 3, "x", 6000, 10).tasks(21, 1, "x", 7000, 10).job_end(2);
  const Workload workload = import_texts({log.text()});
  const JobProfile job = dag_scheduling::job_profile(workload, workload.jobs()[0]);
  EXPECT_EQ(job.stages[0].cells[0].durations_ms, (std::vector<std::uint32_t>{900, 950, 10}));
}

TEST(ImportSpark, ALastLineThatBreaksOffIsLegal) {
  const std::string whole = two_stages().text();
  const std::string more =
      SyntheticLog(two_stages()).named_job(1, "p", "1", {{9, 9, 1, {}}}).text();
  const std::vector<std::byte> wanted = dag_scheduling::workload_bytes(import_texts({whole}));
  for (std::size_t size = whole.size(); size <= more.size(); ++size) {
    SparkImportReport report;
    const Workload workload = import_texts({more.substr(0, size)}, {}, &report);
    EXPECT_EQ(dag_scheduling::workload_bytes(workload), wanted) << size;
    const bool broken = size > whole.size() && size < more.size() - 1;
    EXPECT_EQ(has_note(report, "a: the log breaks off in line 15"), broken) << size;
  }
}

TEST(ImportSpark, ReadsPackedLogs) {
  const std::string text = two_stages().text();
  const std::vector<std::byte> wanted = dag_scheduling::workload_bytes(import_texts({text}));
  for (const std::string& packed : {gzip(text), zstd(text), lz4_frame(text), lz4_blocks(text)}) {
    EXPECT_EQ(dag_scheduling::workload_bytes(import_texts({packed})), wanted);
  }
  const std::string members = gzip(text.substr(0, 700)) + gzip(text.substr(700));
  EXPECT_EQ(dag_scheduling::workload_bytes(import_texts({members})), wanted);
  EXPECT_EQ(dag_scheduling::workload_bytes(import_texts({members + std::string(100, '\0')})),
            wanted);
}

TEST(ImportSpark, GzipThatBreaksOffIsLegal) {
  const std::string text = two_stages().text() + SyntheticLog().executor("later").text();
  const std::string packed = gzip(text);
  SparkImportReport report;
  const Workload workload = import_texts({packed.substr(0, packed.size() - 9)}, {}, &report);
  EXPECT_EQ(workload.jobs().size(), 1U);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("the log breaks off in line "), std::string::npos);
}

TEST(ImportSpark, OtherInputIsAnErrorOfOneLine) {
  const std::string text = two_stages().text();
  EXPECT_EQ(import_error({""}), "a: an empty log");
  EXPECT_EQ(import_error({"\n\n"}), "a: an empty log");
  EXPECT_EQ(import_error({"no log\n"}), "a: line 1: expected an object");
  EXPECT_EQ(import_error({"no log"}), "a: line 1: expected an object");
  EXPECT_EQ(import_error({"{\"a\":1}\n"}), "a: line 1: an object without the field Event");
  EXPECT_EQ(import_error({SyntheticLog().text()}), "a: no finished job that is not excluded");
  const std::size_t cut = text.find("\"Launch Time\"");
  EXPECT_EQ(import_error({text.substr(0, cut) + "\n" + text}),
            "a: line 6: the text ends too early");
  std::string packed = gzip(text);
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  EXPECT_EQ(import_error({packed}), "a: damaged gzip data");
  EXPECT_EQ(import_error({"\x28\xb5\x2f\xfd" + text}), "a: damaged zstd data");
  EXPECT_EQ(import_error({"LZ4Block" + text}), "a: damaged lz4 data");
}

TEST(ImportSpark, ValuesOutOfRangeAreErrors) {
  const std::string text = two_stages().text();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return import_error({changed});
  };
  EXPECT_EQ(replaced("\"Total Cores\":1", "\"Total Cores\":0"),
            "a: line 3: Total Cores is out of range");
  EXPECT_EQ(replaced("\"Index\":0", "\"Index\":-1"), "a: line 6: Index is out of range");
  EXPECT_EQ(replaced("\"Launch Time\":100", "\"Launch Time\":99999999999999999999"),
            "a: line 6: expected a whole number");
  EXPECT_EQ(replaced("\"Launch Time\":100", "\"Launch Time\":-5"),
            "a: line 6: a time is out of range");
  EXPECT_EQ(replaced("\"Launch Time\":100", "\"Launch Time\":1.5"),
            "a: line 6: expected a whole number");
  EXPECT_EQ(replaced("\"Job ID\":0,", ""), "a: line 5: a job has no Job ID");
}

TEST(ImportSpark, ReadsFilesAndNamesThemInErrors) {
  const ScratchFolder folder("spark");
  const std::string path = folder.file("log");
  write_text(path, two_stages().text());
  SparkImportReport report;
  EXPECT_EQ(dag_scheduling::workload::import_spark(std::vector<std::string>{path}, {}, report)
                .jobs()
                .size(),
            1U);
  const std::string missing = folder.file("none");
  EXPECT_EQ(error_of([&] {
              (void)dag_scheduling::workload::import_spark(std::vector<std::string>{missing}, {},
                                                           report);
            }),
            missing + ": it cannot be opened");
}

}  // namespace import_spark_test
}  // namespace park::test
