// Job graphs in JSON: what is read, what is written, and what is said about wrong files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "park/envs/dag_scheduling/workload/spread.h"
#include "tests/envs/dag_scheduling/workload/dag_support.h"

namespace park::test {
namespace dag_json_test {

using dag_scheduling::Wave;
using dag_scheduling::workload::DagForm;

Imported read(const std::string& text,
              const dag_scheduling::workload::DagImportOptions& options = {}) {
  return import_form(DagForm::json, {text}, options);
}
std::string error(const std::string& text) { return import_error(DagForm::json, text); }
/// A file with one job of these stages.
std::string job(const std::string& stages) {
  return R"({"jobs": [{"name": "j", "stages": [)" + stages + "]}]}";
}

TEST(DagJson, ReadsAllThatItMaySay) {
  const Imported all = read(R"({
    "schema": "park.workload", "version": 1, "name": "mine", "provenance": "by hand",
    "inflation": {"fitted_to": 50, "fresh": {"slope": 0.5, "power": 2},
                  "first": {"slope": 0, "power": 1}, "rest": {"slope": 0.25, "power": 0.5}},
    "jobs": [{"name": "etl", "arrival_s": 7, "stages": [
      {"id": "join", "parents": ["scan", 7], "tasks": 8, "cpus": 2, "memory": 0.1,
       "run_s": 3.5, "cpu_s": 1.25, "durations_s": [1.5, 0.0001, 4294967.295]},
      {"id": "scan", "tasks": 1e1, "cells": [
        {"wave": "first", "executors": 10, "durations_s": [3]},
        {"executors": 65535, "mean_s": 2}]},
      {"id": 7, "tasks": 1, "wave": "fresh", "executors": 3, "mean_s": 2}]}]})");
  EXPECT_EQ(all.workload.name(), "mine");
  EXPECT_EQ(all.workload.provenance(), "by hand");
  EXPECT_TRUE(all.workload.inflation().present);
  EXPECT_EQ(all.workload.inflation().fitted_to, 50);
  EXPECT_EQ(all.workload.inflation().growth[0], (dag_scheduling::Inflation::Growth{0.5, 2}));
  EXPECT_EQ(all.workload.inflation().growth[2], (dag_scheduling::Inflation::Growth{0.25, 0.5}));
  const dag_scheduling::JobProfile etl = job_called(all.workload, "etl");
  dag_scheduling::StageProfile join, scan, last;
  join.tasks = 8;
  join.cpus = 2;
  join.memory = 0.1F;
  join.run_s = 3.5;
  join.cpu_s = 1.25;
  join.parents = {1, 2};
  join.cells = {{Wave::rest, 1, {1500, 1, 4294967295U}}};
  scan.tasks = 10;
  scan.cells = {{Wave::first, 10, {3000}}, {Wave::rest, 65535, {2000}}};
  last.tasks = 1;
  last.cells = {{Wave::fresh, 3, {2000}}};
  ASSERT_EQ(etl.stages.size(), 3U);
  EXPECT_EQ(etl.stages[0], join);
  EXPECT_EQ(etl.stages[1], scan);
  EXPECT_EQ(etl.stages[2], last);
  EXPECT_EQ(all.report.jobs, 1U);
  EXPECT_EQ(all.report.stages, 3U);
  EXPECT_EQ(all.report.samples, 6U);
}

TEST(DagJson, NamesAndProvenanceComeFromTheFileWhereItSaysNothing) {
  const Imported plain = read(job(R"({"tasks": 1, "mean_s": 1})"));
  EXPECT_EQ(plain.workload.name(), "file");
  EXPECT_EQ(plain.workload.provenance(), "park workload import-dag file --form json");
  EXPECT_FALSE(plain.workload.inflation().present);
  dag_scheduling::workload::DagImportOptions options;
  options.name = "given";
  options.inflation = dag_scheduling::Inflation::fitted();
  const Imported other = read(job(R"({"tasks": 1, "mean_s": 1})"), options);
  EXPECT_EQ(other.workload.name(), "given");
  EXPECT_TRUE(other.workload.inflation().present);
}

TEST(DagJson, MeanAndDeviationBecomeSamplesThatHaveThem) {
  const Imported one = read(job(R"({"tasks": 4, "mean_s": 20, "sd_s": 15})"));
  const auto samples = job_called(one.workload, "j").stages[0].cells[0].durations_ms;
  ASSERT_EQ(samples.size(), dag_scheduling::workload::Spread::kSamples);
  double mean = 0, square = 0;
  for (const std::uint32_t ms : samples) mean += ms / 1e3 / 32;
  for (const std::uint32_t ms : samples) square += (ms / 1e3 - mean) * (ms / 1e3 - mean) / 32;
  EXPECT_NEAR(mean, 20, 0.001);
  EXPECT_NEAR(std::sqrt(square), 15, 0.001);
}

TEST(DagJson, SaysWhatIsWrongWhereAndWhatIsAllowed) {
  EXPECT_EQ(error(job(R"({"tasks": 0, "mean_s": 1})")),
            "file:1: job j stage 0: tasks = 0 must be a whole number from 1 to 10000000");
  EXPECT_EQ(error(job("{\"tasks\": 1.5,\n\"mean_s\": 1}")),
            "file:1: job j stage 0: tasks = 1.5 must be a whole number from 1 to 10000000");
  EXPECT_EQ(error(job("{\"mean_s\": 1,\n\n\"tasks\":\n0\n}")),
            "file:4: job j stage 0: tasks = 0 must be a whole number from 1 to 10000000");
  EXPECT_EQ(error(job(R"({"mean_s": 1})")), "file:1: job j stage 0: tasks is missing");
  EXPECT_EQ(error(job(R"({"tasks": "3", "mean_s": 1})")),
            "file:1: job j stage 0: tasks is a text, must be a number");
  EXPECT_EQ(error(job(R"({"tasks": 1, "durations_s": [2, -1]})")),
            "file:1: job j stage 0: durations_s holds -1, each must be a number above 0 and at "
            "most 4294967.295");
  EXPECT_EQ(error(job(R"({"tasks": 1, "durations_s": [2, "x"]})")),
            "file:1: job j stage 0: durations_s holds a text, all must be numbers");
  EXPECT_EQ(error(job(R"({"tasks": 1, "durations_s": []})")),
            "file:1: job j stage 0: durations_s is empty");
  EXPECT_EQ(error(job(R"({"tasks": 1})")), "file:1: job j stage 0: needs durations_s or mean_s");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "durations_s": [1]})")),
            "file:1: job j stage 0: durations_s and mean_s exclude each other");
  EXPECT_EQ(error(job(R"({"tasks": 1, "sd_s": 1, "durations_s": [1]})")),
            "file:1: job j stage 0: sd_s needs mean_s");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "sd_s": 3.5})")),
            "file:1: job j stage 0: sd_s = 3.5 must be at most 3 times mean_s = 1");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "wave": "last"})")),
            "file:1: job j stage 0: wave = last must be fresh, first or rest");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "executors": 0})")),
            "file:1: job j stage 0: executors = 0 must be a whole number from 1 to 65535");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "task": 2})")),
            "file:1: job j stage 0: unknown member task; did you mean tasks?");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "memory": -1})")),
            "file:1: job j stage 0: memory = -1 must be a number from 0 to 1000000000");
  EXPECT_EQ(error(job(R"({"tasks": 1, "mean_s": 1, "cells": [{"mean_s": 1}]})")),
            "file:1: job j stage 0: cells and mean_s exclude each other");
  EXPECT_EQ(error(job(R"({"tasks": 1, "cells": [{"mean_s": 1}, {"mean_s": 2}]})")),
            "file:1: job j stage 0: durations of wave rest at executors = 1 are given twice");
  EXPECT_EQ(error(job(R"({"tasks": 1, "cells": []})")),
            "file:1: job j stage 0: cells must be a list of objects, at least one");
}

TEST(DagJson, SaysWhatIsWrongWithAGraph) {
  const auto graph = [](const std::string& a, const std::string& b, const std::string& c) {
    return error(job("{\"id\": \"a\", \"parents\": [" + a + "], \"tasks\": 1, \"mean_s\": 1},\n" +
                     "{\"id\": \"b\", \"parents\": [" + b + "], \"tasks\": 1, \"mean_s\": 1},\n" +
                     "{\"id\": \"c\", \"parents\": [" + c + "], \"tasks\": 1, \"mean_s\": 1}"));
  };
  EXPECT_EQ(graph("", "\"a\"", "\"a\", \"b\""), "no error");
  EXPECT_EQ(graph("\"c\"", "\"a\"", "\"b\""),
            "file:1: job j: its stages form a cycle: a <- c <- b <- a");
  EXPECT_EQ(graph("\"a\"", "", ""), "file:1: job j: its stages form a cycle: a <- a");
  EXPECT_EQ(graph("", "\"stage-a\"", ""),
            "file:2: job j stage b: the parent stage-a is no stage of the job");
  EXPECT_EQ(graph("", "5", ""),
            "file:2: job j stage b: the parent 5 is no stage of the job; the nearest is a");
  EXPECT_EQ(graph("", "\"a\", \"a\"", ""), "file:2: job j stage b: the parent a is given twice");
  EXPECT_EQ(graph("", "true", ""),
            "file:2: job j stage b: a parent must be a stage's id, a text or a whole number");
  EXPECT_EQ(graph("", "0.5", ""),
            "file:2: job j stage b: a parent must be a stage's id, a text or a whole number");
  EXPECT_EQ(error(job(R"({"id": "1", "tasks": 1, "mean_s": 1}, {"tasks": 1, "mean_s": 1})")),
            "file:1: job j stage 1: the job has two such stages");
  EXPECT_EQ(error(job("")), "file:1: job j: it has no stages");
  EXPECT_EQ(error("{\"jobs\": [\n{\"name\": \"j\"}]}"), "file:2: job j: stages is missing");
}

TEST(DagJson, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(error("[]"), "file:1: must be a JSON object {...}");
  EXPECT_EQ(error("7"), "file:1: must be a JSON object {...}");
  EXPECT_EQ(error("{}"), "file: jobs is missing or empty");
  EXPECT_EQ(error(R"({"jobs": {}})"), "file:1: jobs is an object, must be a list");
  EXPECT_EQ(error(R"({"jobs": [3]})"), "file:1: jobs holds a number, each must be an object");
  EXPECT_EQ(error("{\"jobs\": [\n{\"stages\": []}]}"),
            "file:2: a job's name is missing or no text");
  EXPECT_EQ(error("{\"job\": 1}"), "file:1: unknown member job; did you mean jobs?");
  EXPECT_EQ(error(R"({"schema": "x"})"), "file:1: schema must be \"park.workload\"");
  EXPECT_EQ(error(R"({"version": 2})"), "file:1: version 2 is newer than this program reads (1)");
  EXPECT_EQ(error(R"({"version": 0.5})").substr(0, 26), "file:1: version must be 1");
  EXPECT_EQ(error(R"({"name": "a", "name": "b"})"), "file:1: the member name is given twice");
  EXPECT_EQ(error(R"({"inflation": {"fitted_to": 0}})").substr(0, 70),
            "file:1: inflation: fitted_to = 0 must be a number from 1 to 1000000000");
  const std::string twice = R"({"name": "a", "stages": [{"tasks": 1, "mean_s": 1}]})";
  EXPECT_EQ(error("{\"jobs\": [" + twice + ",\n" + twice + "]}"),
            "file:2: job a: the name occurs more than once");
  EXPECT_EQ(error("{\"jobs\": [\n{\"name\": \"a\" \"stages\"}]}"),
            "file:2: no JSON: syntax error while parsing object - unexpected string literal; "
            "expected '}'");
  EXPECT_EQ(error("{\"jobs\": [").substr(0, 16), "file:1: no JSON:");
  EXPECT_EQ(error("{\"name\":\n1e999}"), "file:2: no JSON: number overflow parsing '1e999'");
  EXPECT_EQ(error(R"({"jobs": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]})"),
            "file:1: nested too deeply");
}

TEST(DagJson, NamesEveryFaultButNotMoreThanTen) {
  std::string stages;
  for (int i = 0; i < 25; ++i)
    stages += std::string(i > 0 ? ",\n" : "") + "{\"tasks\": 0, \"mean_s\": 1}";
  const std::string text = error(job(stages));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
  EXPECT_NE(text.find("file:10: job j stage 9: tasks = 0"), std::string::npos) << text;
}

TEST(DagJson, NamesDifferBetweenFilesToo) {
  const std::string text = job(R"({"tasks": 1, "mean_s": 1})");
  EXPECT_EQ(error_of([&] {
              (void)import_form(DagForm::json, {text, text});
            }),
            "file:1: job j: the name occurs more than once");
}

}  // namespace dag_json_test
}  // namespace park::test
