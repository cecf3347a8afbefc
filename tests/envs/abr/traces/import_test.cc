// The raw forms of network traces, written as their sources document them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "park/envs/abr/traces/import_traces.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace import_test {

using abr::traces::FccOptions;
using abr::traces::HsdpaOptions;
using abr::traces::MahimahiOptions;
using abr::traces::TraceSet;

TraceSet mahimahi(const std::string& text, MahimahiOptions options = {}) {
  TraceSet set;
  abr::traces::import_mahimahi(*files::memory_source(text), "link.down", options, set);
  return set;
}

TraceSet fcc(const std::string& text, FccOptions options = {}) {
  TraceSet set;
  abr::traces::import_fcc(*files::memory_source(text), "webget.csv", options, set);
  return set;
}

TraceSet hsdpa(const std::string& text, HsdpaOptions options = {}) {
  TraceSet set;
  abr::traces::import_hsdpa(*files::memory_source(text), "report.log", options, set);
  return set;
}

std::string csv_row(const std::string& unit, const std::string& target,
                    const std::string& bytes_s) {
  return unit + ",2016-06-01 13:45:10," + target + ",192.0.2.7,1500000,2000000," + bytes_s +
         ",20,4,31,8,23,1,0\n";
}

TEST(Mahimahi, ConstantRate) {
  // 12 Mbit/s: one packet of 1500 bytes per millisecond.
  std::string text;
  for (int ms = 1; ms <= 4000; ++ms) text += std::to_string(ms) + '\n';
  const TraceSet set = mahimahi(text);
  ASSERT_EQ(set.traces().size(), 1u);
  EXPECT_EQ(set.traces()[0].name, "link.down");
  EXPECT_EQ(set.traces()[0].time_s, (std::vector<double>{0, 1, 2, 3, 4}));
  for (const double mbps : set.traces()[0].mbps) EXPECT_DOUBLE_EQ(mbps, 12);
  EXPECT_EQ(set.lines, 4000u);
}

TEST(Mahimahi, PacketsBelongToTheIntervalThatTheyEnd) {
  // Two packets at once, one at the border of two intervals, none in the second one.
  const TraceSet set = mahimahi("0\n500\r\n500\n\n1000\n2001\n3000\n", {.bin_s = 1});
  EXPECT_EQ(set.traces()[0].time_s, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(set.traces()[0].mbps, (std::vector<double>{0.048, 0.048, 0, 0.024}));
}

TEST(Mahimahi, NoPacketIsLostAtTheEnd) {
  for (const int last :
       {2300, 2700}) {  // a short rest joins the interval before, a long one is one
    const TraceSet set = mahimahi("100\n1100\n2100\n" + std::to_string(last) + "\n");
    const auto& trace = set.traces()[0];
    EXPECT_EQ(trace.time_s.size(), last == 2300 ? 3u : 4u);
    EXPECT_DOUBLE_EQ(trace.time_s.back(), last / 1000.0);
    EXPECT_NEAR(abr::traces::mean_mbps(trace) * trace.time_s.back(), 4 * 0.012, 1e-12);
  }
}

TEST(Mahimahi, WhatIsWrongIsTold) {
  EXPECT_EQ(error_of([] { (void)mahimahi("5\n7.5\n"); }),
            "link.down:2: must be a time in whole milliseconds from 0 to 1e12");
  EXPECT_EQ(error_of([] { (void)mahimahi("5\n4\n"); }), "link.down:2: goes back in time");
  EXPECT_EQ(error_of([] { (void)mahimahi(""); }),
            "link.down: must have a time above 0, at which it begins again");
  EXPECT_EQ(error_of([] { (void)mahimahi("0\n"); }),
            "link.down: must have a time above 0, at which it begins again");
  EXPECT_EQ(error_of([] { (void)mahimahi("1\n999999999999\n"); }),
            "link.down:2: makes more than 1e6 intervals; a larger bin_s is needed");
  const std::string ten = error_of([] {
    std::string all;
    for (int i = 0; i < 50; ++i) all += "x\n";
    (void)mahimahi(all);
  });
  EXPECT_EQ(std::count(ten.begin(), ten.end(), '\n'), 9);
}

TEST(Fcc, UnitAndTargetAreALink) {
  // Bytes per second: 125 000 are 1 Mbit/s. Two links, their rows mixed.
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += csv_row("7", "http://www.a.org/", std::to_string(125000 * (i + 1)));
    text += csv_row("8", "http://www.a.org/", "250000");
  }
  const TraceSet set = fcc(text, {.duration_s = 0, .max_mean_mbps = 100});
  ASSERT_EQ(set.traces().size(), 2u);
  EXPECT_EQ(set.traces()[0].name, "trace_7_http---www.a.org-");
  EXPECT_EQ(set.traces()[0].time_s, (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_EQ(set.traces()[0].mbps, (std::vector<double>{1, 1, 2, 3, 4}));
  EXPECT_EQ(set.traces()[1].mbps, (std::vector<double>{2, 2, 2, 2, 2}));
}

TEST(Fcc, NamesOfColumnsAreOptional) {
  const std::string names =
      "unit_id,dtime,target,address,fetch_time,bytes_total,bytes_sec,objects,threads,requests\n";
  const std::string rows = csv_row("7", "a", "125000") + csv_row("7", "a", "250000");
  EXPECT_EQ(fcc(names + rows, {.duration_s = 0}).traces(), fcc(rows, {.duration_s = 0}).traces());
  EXPECT_NE(error_of([&] { (void)fcc("unit_id,dtime,target,a,b,c,d\n" + rows); }).find("bytes_sec"),
            std::string::npos);
}

TEST(Fcc, CutAndChosenAsInTheLiterature) {
  std::string text;
  const auto add = [&](const std::string& unit, int rows, double mbps) {
    for (int i = 0; i < rows; ++i) text += csv_row(unit, "t", std::to_string(mbps * 125000));
  };
  add("1", 130, 2);   // two traces of 64 rows, two rows left
  add("2", 64, 8);    // too fast
  add("3", 64, 0.1);  // too slow
  add("4", 10, 2);    // too short
  text += csv_row("5", "t", "\\N") + csv_row("5", "t", "");
  const TraceSet set = fcc(text);
  ASSERT_EQ(set.traces().size(), 2u);
  EXPECT_EQ(set.traces()[0].name, "trace_1_t_0");
  EXPECT_EQ(set.traces()[1].name, "trace_1_t_320");
  EXPECT_DOUBLE_EQ(set.traces()[1].time_s.back(), 320);
  std::map<std::string, std::uint64_t> why;
  for (const auto& one : set.left_out()) why[one.why] = one.count;
  EXPECT_EQ(why["too few for another trace"], 12u);
  EXPECT_EQ(why["a mean above max_mean_mbps"], 1u);
  EXPECT_EQ(why["a bandwidth below min_mbps"], 1u);
  EXPECT_EQ(why["no throughput"], 2u);
}

TEST(Fcc, WhatIsWrongIsTold) {
  EXPECT_EQ(error_of([] { (void)fcc("1,2016-06-01 13:45:10,t,a,5,6\n"); }),
            "webget.csv:1: must have at least 7 columns: unit_id, dtime, target, address, "
            "fetch_time, bytes_total, bytes_sec");
  EXPECT_EQ(error_of([] { (void)fcc("1,today,t,a,5,6,7\n"); }),
            "webget.csv:1: dtime must be as 2016-06-01 13:45:10");
  EXPECT_EQ(error_of([] { (void)fcc(csv_row("1", "t", "-5")); }),
            "webget.csv:1: bytes_sec must be a number from 0 to 1.25e11");
}

TEST(Hsdpa, SixColumns) {
  // Unix time, ms, latitude, longitude, bytes, ms.
  const TraceSet set = hsdpa(
      "1284367570 1003 59.851 10.781 125000 1000\n"
      "1284367571 2003 59.852 10.782 250000 1000\n"
      "1284367572 3503 59.853 10.783 0 1500\n"
      "1284367573 4503 59.854 10.784 62500 500\n");
  ASSERT_EQ(set.traces().size(), 1u);
  EXPECT_EQ(set.traces()[0].time_s, (std::vector<double>{0, 1, 2, 3.5, 4.5}));
  EXPECT_EQ(set.traces()[0].mbps, (std::vector<double>{1, 1, 2, 0, 1}));
}

TEST(Hsdpa, ThreeColumnsAndTabs) {
  EXPECT_EQ(hsdpa("1003\t125000\t1000\n2003 250000 1000\n").traces(),
            hsdpa("9 1003 0 0 125000 1000\n9 2003 0 0 250000 1000\n").traces());
}

TEST(Hsdpa, EndsWhereTheTimeGoesBack) {
  const TraceSet set = hsdpa("1000 125000 1000\n2000 250000 1000\n1500 1 1\n9000 125000 1000\n");
  EXPECT_EQ(set.traces()[0].time_s, (std::vector<double>{0, 1, 2}));
  ASSERT_EQ(set.left_out().size(), 1u);
  EXPECT_EQ(set.left_out()[0].count, 2u);
}

TEST(Hsdpa, LinesWithoutTimeAreLeftOut) {
  const TraceSet set = hsdpa("1000 125000 1000\n1000 77 10\n2000 250000 0\n3000 250000 1000\n");
  EXPECT_EQ(set.traces()[0].time_s, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(set.left_out()[0].why, "no time passed");
  EXPECT_EQ(set.left_out()[0].count, 2u);
}

TEST(Hsdpa, CutIntoTraces) {
  std::string text;
  for (int s = 1; s <= 25; ++s) text += std::to_string(1000 * s) + " 125000 1000\n";
  const TraceSet set = hsdpa(text, {.duration_s = 10});
  ASSERT_EQ(set.traces().size(), 2u);
  EXPECT_EQ(set.traces()[0].name, "report.log_0");
  EXPECT_EQ(set.traces()[1].name, "report.log_10");
  EXPECT_EQ(set.traces()[1].time_s.size(), 11u);
}

TEST(Hsdpa, WhatIsWrongIsTold) {
  const std::string allowed = "must be 'unix_time ms latitude longitude bytes ms' or 'ms bytes ms'";
  EXPECT_EQ(error_of([] { (void)hsdpa("1 2 3 4\n"); }), "report.log:1: " + allowed);
  EXPECT_EQ(error_of([] { (void)hsdpa("1 2 3 4 5 6 7\n"); }), "report.log:1: " + allowed);
  EXPECT_EQ(error_of([] { (void)hsdpa("1 x 3\n"); }), "report.log:1: " + allowed);
  EXPECT_EQ(error_of([] { (void)hsdpa("1 -2 3\n"); }),
            "report.log:1: milliseconds and bytes must not be negative");
}

TEST(Imported, NothingIsDeliveredByADeadLink) {
  EXPECT_TRUE(hsdpa("1000 0 1000\n2000 0 1000\n").traces().empty());
  EXPECT_EQ(hsdpa("1000 0 1000\n").left_out()[0].why, "its mean bandwidth is below 0.001 Mbps");
}

}  // namespace import_test
}  // namespace park::test
