#include "park/envs/abr/traces/trace_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "park/envs/abr/traces/describe.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace trace_set_test {

namespace fs = std::filesystem;
using abr::traces::TraceSet;

abr::NetworkTrace trace(const std::string& name, double mbps = 2) {
  return abr::traces::trace_of(name, {1, 0.5, 2}, {mbps, 0, 2 * mbps});
}

TEST(TraceSet, NamesAreFitForFilesAndUnlike) {
  EXPECT_EQ(abr::traces::file_name_of("http://a b"), "http---a-b");
  EXPECT_EQ(abr::traces::file_name_of("../x"), "-..-x");
  EXPECT_EQ(abr::traces::file_name_of(""), "-");
  EXPECT_EQ(abr::traces::file_name_of(std::string(500, 'a')).size(), 120u);
  TraceSet set;
  for (int i = 0; i < 3; ++i) set.add(trace("a/b"));
  EXPECT_EQ(set.traces()[0].name, "a-b");
  EXPECT_EQ(set.traces()[1].name, "a-b-2");
  EXPECT_EQ(set.traces()[2].name, "a-b-3");
}

TEST(TraceSet, WhatIsWrittenReadsBack) {
  const ScratchFolder scratch("traces");
  const std::vector<abr::NetworkTrace> all{trace("a"), trace("b", 1.0 / 3)};
  abr::traces::write_traces(scratch.file("t"), all, "park traces test", false);
  const auto read = abr::read_traces(scratch.file("t"));  // the provenance is no trace
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0], all[0]);
  EXPECT_DOUBLE_EQ(read[1].mbps[1], 0.333333);  // six decimals
  EXPECT_EQ(abr::traces::provenance_of(scratch.file("t")), "park traces test\n");
}

TEST(TraceSet, OnlyWhatParkWroteIsReplaced) {
  const ScratchFolder scratch("traces");
  fs::create_directory(scratch.file("mine"));
  EXPECT_NE(error_of([&] {
              abr::traces::write_traces(scratch.file("mine"), {trace("a")}, "", true);
            }).find("no folder of traces that park wrote"),
            std::string::npos);
  abr::traces::write_traces(scratch.file("t"), {trace("a"), trace("b")}, "one", false);
  EXPECT_NE(error_of([&] {
              abr::traces::write_traces(scratch.file("t"), {trace("a")}, "two", false);
            }).find("--overwrite"),
            std::string::npos);
  abr::traces::write_traces(scratch.file("t/"), {trace("c")}, "two", true);  // with a slash behind
  EXPECT_EQ(abr::read_traces(scratch.file("t")).size(), 1u);
  EXPECT_NE(
      error_of([&] { abr::traces::check_folder(scratch.file("no/t"), false); }).find("no folder"),
      std::string::npos);
}

TEST(Describe, FiguresByHand) {
  const auto s = abr::traces::summarize(trace("a", 2));  // 2 Mbps for 1 s, 0 for 0.5 s, 4 for 2 s
  EXPECT_EQ(s.name, "a");
  EXPECT_EQ(s.intervals, 3u);
  EXPECT_DOUBLE_EQ(s.duration_s, 3.5);
  EXPECT_DOUBLE_EQ(s.mean_mbps, 10 / 3.5);
  EXPECT_DOUBLE_EQ(s.min_mbps, 0);
  EXPECT_DOUBLE_EQ(s.max_mbps, 4);
  EXPECT_DOUBLE_EQ(s.outage_share, 0.5 / 3.5);
  EXPECT_EQ(s.outages, 1u);
  EXPECT_DOUBLE_EQ(s.outage_mean_s, 0.5);
  const double m = 10 / 3.5,
               variance = (m * m * 0.5 + (2 - m) * (2 - m) + 2 * (4 - m) * (4 - m)) / 3.5;
  EXPECT_NEAR(s.sd_mbps, std::sqrt(variance), 1e-12);
  EXPECT_NEAR(s.autocorrelation, ((2 - m) * -m - m * (4 - m)) / 2 / variance, 1e-12);
}

}  // namespace trace_set_test
}  // namespace park::test
