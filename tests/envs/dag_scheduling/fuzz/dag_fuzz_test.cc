// Damaged files of job graphs, in every form.
#include <gtest/gtest.h>

#include <sstream>

#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload/export_json.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/dag_support.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace dag_fuzz_test {

using dag_scheduling::workload::DagForm;

/// What is accepted is fit for use, says nothing that its messages may not, and survives the way
/// out and in again.
void import_damaged(DagForm form, const std::string& text) {
  const Imported made = import_form(form, {text});
  (void)dag_scheduling::workload::summarize(made.workload);
  (void)dag_scheduling::workload::arrivals_csv(made.report.arrivals);
  std::string out;
  dag_scheduling::workload::export_json(made.workload,
                                        [&](std::string_view piece) { out += piece; });
  const Imported again = import_form(DagForm::json, {out});
  EXPECT_EQ(dag_scheduling::workload_bytes(again.workload),
            dag_scheduling::workload_bytes(made.workload));
}

/// One in `lines` is damaged as a whole: lines change places, or the end is lost.
void fuzz(DagForm form, const std::string& text, const std::string& donor, std::uint64_t lines) {
  import_damaged(form, text);
  Mutator mutate(10 + static_cast<std::uint64_t>(form));
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    std::string damaged =
        mutate.rng().below(lines) == 0 ? shuffle_lines(text, mutate.rng()) : mutate(text, donor);
    if (mutate.rng().below(lines) == 0) damaged.resize(mutate.rng().below(damaged.size() + 1));
    tally.run(i, [&] { import_damaged(form, damaged); });
  }
  tally.expect_both(24);
}

const std::string kJson = R"({"schema": "park.workload", "version": 1,
 "name": "mine", "provenance": "by\nhand \u00e9",
 "inflation": {"fitted_to": 100, "fresh": {"slope": 0.1, "power": 1},
   "first": {"slope": 0, "power": 1}, "rest": {"slope": 0.5, "power": 2}},
 "jobs": [
  {"name": "etl", "arrival_s": 10, "stages": [
   {"id": "scan", "tasks": 20, "durations_s": [1.25, 0.5, 3]},
   {"id": "join", "parents": ["scan"], "tasks": 8, "mean_s": 2.5, "sd_s": 0.5, "memory": 0.5},
   {"parents": ["scan", "join"], "tasks": 1, "mean_s": 4, "cpus": 2}]},
  {"name": "train", "arrival_s": 4.5, "stages": [
   {"tasks": 50, "run_s": 10.5, "cpu_s": 9, "cells": [
    {"wave": "first", "executors": 10, "mean_s": 3, "sd_s": 1},
    {"wave": "rest", "executors": 10, "durations_s": [1, 2, 1.75]}]},
   {"tasks": 2, "parents": [0], "wave": "fresh", "executors": 5, "durations_s": [0.001]}]}]}
)";

const std::string kCsv =
    "job,stage,parents,tasks,mean_s,sd_s,durations_s,wave,executors,cpus,memory,arrival_s\n"
    "etl,scan,,20,,,1;2.5;0.001,first,5,1,0.5,100\n"
    "etl,join,scan,8,2.5,0.5,,,,2,,100\n"
    "etl,scan,,20,,,1;2,rest,5,1,0.5,\n"
    "\"night, run\",a,,3,4,,,,,,,7\n"
    "\"night, run\",b,a,3,4,12,,,,,,7\n"
    "\"night, run\",c,a;b,1,0.5,,,,,,,7\n"
    "train,,,50,3,,,,,,,0\n";

const std::string kAlibaba =
    "M1,10,j_1,1,Terminated,100,130,100,0.5\n"
    "M2_1,1,j_1,1,Terminated,130,150,100,0.5\n"
    "M3_1,3,j_1,1,Terminated,131,150,100,0.5\n"
    "task_LTg0MTUx,4,j_2,2,Terminated,50,53,50,0.5\n"
    "R4_2,2,j_1,1,Terminated,150,160,100,0.5\n"
    "M1,1,j_3,1,Terminated,70,70,100,\n"
    "M5_3_4,7,j_1,1,Terminated,160,172,200,1.25\n"
    "task_MjQ1,5,j_2,2,Terminated,40,44,,\n"
    "R2_1_Stg1,1,j_3,1,Terminated,71,71,100,0.5\n"
    "M1,1,j_4,1,Failed,70,0,100,0.5\n";

TEST(Fuzz, JobGraphsInJson) { fuzz(DagForm::json, kJson, kJson + kCsv, 40); }
TEST(Fuzz, JobGraphsInCsv) { fuzz(DagForm::csv, kCsv, kCsv + kAlibaba, 6); }
TEST(Fuzz, JobGraphsOfAlibaba) { fuzz(DagForm::alibaba, kAlibaba, kAlibaba + kCsv, 6); }

/// Cut off at every byte.
TEST(Fuzz, JobGraphsCutShort) {
  for (const auto& [form, text] :
       {std::pair(DagForm::json, kJson), {DagForm::csv, kCsv}, {DagForm::alibaba, kAlibaba}}) {
    for (std::size_t end = 0; end < text.size(); ++end) {
      const std::string cut = text.substr(0, end);
      EXPECT_NO_THROW((void)error_of([&] { import_damaged(form, cut); })) << end;
    }
  }
}

}  // namespace dag_fuzz_test
}  // namespace park::test
