// The commands that make network traces; run on the binary itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace traces_test {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

Finished traces(Arguments arguments) {
  arguments.insert(arguments.begin(), "traces");
  return run_park(arguments);
}

Json json_of(Arguments arguments) {
  arguments.push_back("--json");
  const Finished park = traces(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  EXPECT_EQ(park.err, "");
  return park.code == 0 ? Json::parse(park.out) : Json();
}

void expect_bad(const Arguments& arguments, const std::string& lines) {
  const Finished park = traces(arguments);
  EXPECT_EQ(park.code, 2) << testing::PrintToString(arguments);
  EXPECT_EQ(park.out, "");
  EXPECT_EQ(park.err, lines);
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = scratch_path(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(TracesCommands, EveryOneHasAHelpWithAnExample) {
  for (const char* command : {"import-mahimahi", "import-fcc", "import-hsdpa", "generate", "split",
                              "compare", "describe"}) {
    const Finished help = traces({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("example:\n  park traces " + std::string(command)), std::string::npos);
  }
}

TEST(TracesCommands, GenerateWritesTheSameBytesAgain) {
  const std::string one = scratch_path("one"), two = scratch_path("two");
  const Json made = json_of({"generate", "--traces", "4", "--seed", "9", "--out", one});
  EXPECT_EQ(made.at("out"), one);
  EXPECT_EQ(made.at("traces").size(), 4u);
  EXPECT_EQ(made.at("traces")[3].at("name"), "cellular-0003.txt");
  EXPECT_EQ(made.at("all").at("duration_s"), 1280);
  (void)json_of({"generate", "--traces", "4", "--seed", "9", "--out", two});
  for (const Json& trace : made.at("traces")) {
    const std::string name = '/' + trace.at("name").get<std::string>();
    EXPECT_EQ(read_text(one + name), read_text(two + name));
  }
  const Json told = json_of({"describe", one});
  EXPECT_EQ(told.at("all"), made.at("all"));
  EXPECT_EQ(
      told.at("provenance"),
      "park traces generate --traces 4 --seed 9\ngenerator version 1, nothing was measured\n");
}

TEST(TracesCommands, ImportersWriteFoldersThatDescribeReads) {
  const std::string link = written("link.down", "500\n1000\n1000\n2000\n");
  std::string csv = "unit_id,dtime,target,address,fetch_time,bytes_total,bytes_sec\n";
  for (int i = 0; i < 70; ++i) csv += "7,2016-06-01 13:45:10,a,b,1,2,125000\n";
  const std::string webget = written("curr_webget.csv", csv);
  const std::string log = written("report.log", "9 1000 0 0 125000 1000\n9 2000 0 0 0 1000\n");
  const std::string out = scratch_path("imported");
  const Json mahimahi = json_of({"import-mahimahi", link, "--bin-s", "0.5", "--out", out});
  EXPECT_EQ(mahimahi.at("traces")[0].at("intervals"), 4);
  EXPECT_EQ(mahimahi.at("provenance"), "park traces import-mahimahi link.down --bin-s 0.5");
  const Json fcc = json_of({"import-fcc", webget, "--out", out, "--overwrite"});
  EXPECT_EQ(fcc.at("traces")[0].at("mean_mbps"), 1);
  EXPECT_EQ(fcc.at("left_out")[0].at("count"), 6);
  const Json hsdpa = json_of({"import-hsdpa", log, "--out", out, "--overwrite"});
  EXPECT_EQ(hsdpa.at("all").at("outage_share"), 0.5);
  const Finished told = traces({"describe", out});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("park traces import-hsdpa report.log\n1 trace\n"), std::string::npos)
      << told.out;
}

TEST(TracesCommands, AreTheActionsOfParkData) {
  const std::string link = written("link", "500\n1000\n2000\n"), out = scratch_path("both");
  const std::vector<std::pair<Arguments, Arguments>> pairs{
      {{"generate", "--traces", "2"}, {"generate", "--traces", "2"}},
      {{"import-mahimahi", link}, {"import", "mahimahi", link}}};
  for (auto [before, now] : pairs) {
    now.insert(now.begin(), {"data", "traces"});
    for (Arguments* arguments : {&before, &now})
      arguments->insert(arguments->end(), {"--out", out, "--overwrite", "--json"});
    const Finished one = traces(before), two = run_park(now);
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, two.out) << two.err;
    EXPECT_EQ(traces({"describe", out}).out, run_park({"data", "traces", "describe", out}).out);
  }
}

TEST(TracesCommands, SplitWritesFoldersThatShareNoRecording) {
  const std::string all = scratch_path("all"), out = scratch_path("split");
  (void)json_of({"generate", "--traces", "10", "--out", all});
  const Json split = json_of({"split", all, "--out", out, "--train", "50"});
  const std::vector<std::size_t> traces{5, 2, 3};
  for (std::size_t i = 0; i < traces.size(); ++i)
    EXPECT_EQ(split.at("parts")[i].at("traces"), traces[i]) << split;
  EXPECT_EQ(split.at("provenance"),
            "park data traces split all --train 50 --validation 20 --seed 1");
  const Json parts =
      json_of({"compare", out + "/train", out + "/validation", out + "/test"}).at("folders");
  EXPECT_EQ(parts.size(), 6u);
  for (const Json& one : parts) EXPECT_EQ(one.at("of_shared_recordings"), 0) << one;
  const Json whole = json_of({"compare", out + "/test", all}).at("folders")[0];
  EXPECT_EQ(whole.at("of_shared_recordings"), 3);
  EXPECT_EQ(whole.at("same"), 3);
  const Json again = json_of({"split", all, "--out", out, "--train", "50", "--overwrite"});
  EXPECT_EQ(split, again);
  expect_bad({"split", all, "--out", out},
             "error: --out: " + out + " exists; give --overwrite to replace it\n");
  expect_bad({"split", all, "--out", scratch_path("x"), "--train", "80"},
             "error: --train and --validation: must leave at least 1 percent for the test\n");
  expect_bad({"compare", all}, "error: FOLDER: needs two or more\n");
}

TEST(TracesCommands, WhatIsWrongIsToldInOneLine) {
  const std::string out = scratch_path("wrong"), bad = written("bad", "5\nx\n");
  expect_bad({"import-mahimahi", bad, "--out", out},
             "error: " + bad.substr(bad.rfind('/') + 1) +
                 ":2: must be a time in whole milliseconds from 0 to 1e12\n");
  EXPECT_FALSE(std::filesystem::exists(out));
  expect_bad({"generate", "--traces", "0", "--out", out},
             "error: --traces = 0 is outside [1, 100000]\n");
  const std::string mine = scratch_path("mine");
  std::filesystem::create_directory(mine);
  expect_bad({"generate", "--out", mine, "--overwrite"},
             "error: --out: " + mine + " exists and is no folder of traces that park wrote\n");
  const std::string dead = written("dead", "1000 0 1000\n");
  expect_bad({"import-hsdpa", dead, "--out", out},
             "error: no trace is left; 1 trace: its mean bandwidth is below 0.001 Mbps\n");
}

}  // namespace traces_test
}  // namespace park::cli
