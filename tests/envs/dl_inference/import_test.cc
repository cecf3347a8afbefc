// Importers of recorded arrivals: what they make of each form, and what they do with rows that are
// broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "park/envs/dl_inference/arrivals/import_arrivals.h"
#include "park/envs/dl_inference/trace.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace import_arrivals_test {

using dl_inference::arrivals::Form;
using dl_inference::arrivals::import_arrivals;
using dl_inference::arrivals::ImportOptions;
using dl_inference::arrivals::ImportReport;
using dl_inference::arrivals::Input;

struct Imported {
  ImportReport report;
  std::string text;
};

Imported import_all(Form form, const std::vector<std::string>& texts,
                    const ImportOptions& options = {}) {
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < texts.size(); ++i)
    inputs.push_back({"F" + std::to_string(i), files::memory_source(texts[i])});
  Imported made;
  made.report = import_arrivals(form, std::move(inputs), options,
                                [&](std::string_view bytes) { made.text += bytes; });
  return made;
}

const std::string kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string kBurst = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";

TEST(ImportArrivals, AzureFilesAreApplicationsOfOneClock) {
  const Imported made = import_all(
      Form::azure, {kAzure + "2023-11-16 23:59:59.7500000,374,44\n2023-11-17 00:00:01,1,2\n",
                    kAzure + "2023-11-17 00:00:00.0000020+00:00,5,6\r\n\n"});
  EXPECT_EQ(made.text, "time_s,app\n0,0\n0.250002,1\n1.25,0\n");
  EXPECT_EQ(made.report.apps, (std::vector<std::string>{"F0", "F1"}));
  EXPECT_EQ(made.report.rows, 3u);
  EXPECT_EQ(made.report.arrivals, 3u);
  EXPECT_DOUBLE_EQ(made.report.length_s, 1.25);
}

TEST(ImportArrivals, ModelsOfBurstGptAreApplications) {
  const Imported made =
      import_all(Form::burstgpt, {kBurst + "5,ChatGPT,472,18,490,Conversation log\n"
                                           "45,GPT-4,1087,230,1317,Conversation log\n"
                                           "45.5,ChatGPT,1,2,3,API log\n"});
  EXPECT_EQ(made.text, "time_s,app\n0,0\n40,1\n40.5,0\n");
  EXPECT_EQ(made.report.apps, (std::vector<std::string>{"ChatGPT", "GPT-4"}));
  // Columns in another order, and more of them.
  const Imported other =
      import_all(Form::burstgpt, {"Session ID,Model,Elapsed time,Timestamp\n1,a,2,0\n1,b,2,1\n"});
  EXPECT_EQ(other.text, "time_s,app\n0,0\n1,1\n");
}

TEST(ImportArrivals, APartOfTheTimeMayBeTaken) {
  std::string text = "Timestamp,Model\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(7 + i) + ",m\n";
  const Imported made = import_all(Form::burstgpt, {text}, {.begin_s = 9.5, .length_s = 3});
  EXPECT_EQ(made.text, "time_s,app\n0,0\n1,0\n2,0\n");
}

TEST(ImportArrivals, BrokenRowsAreCountedAndListed) {
  std::string text = kAzure;
  for (int i = 0; i < 2974; ++i) text += "2023-11-16 18:00:0" + std::to_string(i / 300) + ",1,2\n";
  for (const char* broken :
       {"2023-11-16 18:00:00,1,2", "2023-11-16 18:00,1,2", "2023-02-30 00:00:00,1,2",
        "2023-11-16 24:00:00,1,2", "2023-11-16T18:00:00,1,2", "2023-11-16 18:00:10.5x,1,2",
        "2023-11-16 18:00:10", ",,", "\"x"})
    text += std::string(broken) + '\n';
  for (int i = 0; i < 17; ++i) text += "x,1,2\n";
  const Imported made = import_all(Form::azure, {text});
  EXPECT_EQ(made.report.rows, 3000u);
  EXPECT_EQ(made.report.broken, 26u);
  EXPECT_EQ(made.report.arrivals, 2974u);
  ASSERT_EQ(made.report.first_broken.size(), 20u);
  EXPECT_EQ(made.report.first_broken[0], "F0:2976: TIMESTAMP goes back in time");
  EXPECT_EQ(made.report.first_broken[1],
            "F0:2977: TIMESTAMP = '2023-11-16 18:00' must be as 2023-11-16 18:15:46.6805900");
  EXPECT_EQ(made.report.first_broken[6], "F0:2982: there are 1 fields, the first line has 3");
}

std::string import_error(Form form, const std::vector<std::string>& texts,
                         const ImportOptions& options = {}) {
  return error_of([&] { static_cast<void>(import_all(form, texts, options)); });
}

TEST(ImportArrivals, WhatCannotBeUsedIsRefused) {
  EXPECT_EQ(import_error(Form::azure, {""}), "F0: it is empty");
  EXPECT_EQ(import_error(Form::azure, {kBurst}), "F0:1: must name the column TIMESTAMP");
  EXPECT_EQ(import_error(Form::burstgpt, {"Timestamp\n"}), "F0:1: must name the column Model");
  EXPECT_EQ(import_error(Form::azure, {kAzure}), "no two arrivals at different times are left");
  EXPECT_EQ(import_error(Form::burstgpt, {"Timestamp,Model\n1,a\n1,b\n"}),
            "no two arrivals at different times are left");
  std::string text = "Timestamp,Model\n";
  for (int i = 0; i < 98; ++i) text += std::to_string(i) + ",m\n";
  EXPECT_EQ(import_error(Form::burstgpt, {text + "x,m\n-1,m\n"}),
            "2 of 100 rows are broken; at most 1 % may be\n"
            "F0:100: Timestamp = 'x' must be a number from 0 to 1e12\n"
            "F0:101: Timestamp = '-1' must be a number from 0 to 1e12");
  EXPECT_EQ(import_error(Form::burstgpt, {text + "x,m\n99,m\n"}), "no error");
  std::string models = "Timestamp,Model\n";
  for (int i = 0; i < 65; ++i) models += std::to_string(i) + ",m" + std::to_string(i) + '\n';
  EXPECT_NE(import_error(Form::burstgpt, {models}).find("F0:66: is of a 65th application"),
            std::string::npos);
}

TEST(ImportArrivals, MakesTracesThatEnvironmentsRead) {
  const Imported made = import_all(Form::burstgpt, {"Timestamp,Model\n100000,a\n1234567.25,b\n"});
  const auto trace = dl_inference::ArrivalTrace::parse(made.text, "T");
  EXPECT_EQ(trace.times_s()[1], 1134567.25);
  EXPECT_EQ(trace.apps()[1], 1);
}

}  // namespace import_arrivals_test
}  // namespace park::test
