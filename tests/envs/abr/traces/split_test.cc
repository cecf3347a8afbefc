// Which traces are of one recording, and sets of traces that share none.
#include "park/envs/abr/traces/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace split_test {

using abr::NetworkTrace;
using abr::traces::Overlap;
using abr::traces::Split;
using abr::traces::SplitOptions;
using abr::traces::TraceSet;

/// Bandwidths of a recording, from one interval to another.
NetworkTrace piece(const std::string& name, std::uint64_t recording, std::size_t from,
                   std::size_t count) {
  std::vector<double> mbps;
  for (std::size_t i = from; i < from + count; ++i)
    mbps.push_back(Rng(recording).split(i).uniform(0.5, 5));
  return abr::traces::trace_of(name, std::vector<double>(count, 5.0), mbps);
}

std::vector<std::vector<std::size_t>> groups(const std::vector<NetworkTrace>& traces) {
  std::vector<std::vector<std::size_t>> all;
  for (const auto& recording : abr::traces::recordings(traces)) all.push_back(recording.traces);
  return all;
}

TEST(Recordings, NamesTellUnitsAndTrips) {
  const std::vector<std::pair<const char*, const char*>> known{
      {"000_trace_942154_http---www.ebay.com_0", "fcc unit 942154"},
      {"trace_942154_http---www.facebook.com", "fcc unit 942154"},
      {"test_fcc_trace_10652_http---www.amazon.com_1020_0", "fcc unit 10652"},
      {"007_test_fcc_trace_14731_http---www.facebook.com_1080_0", "fcc unit 14731"},
      {"bus.ljansbakken-oslo-report.2010-09-28_1407CEST.log",
       "bus.ljansbakken-oslo-report.2010-09-28_1407CEST"},
      {"report.2011-02-10_1611CET.log_320", "report.2011-02-10_1611CET"}};
  for (const auto& [file, name] : known) EXPECT_EQ(abr::traces::recording_name(file), name) << file;
  for (const char* file : {"cellular-0001.txt", "norway_bus_1", "trace_x_y", "retrace_1_y"})
    EXPECT_EQ(abr::traces::recording_name(file), std::nullopt) << file;
}

TEST(Recordings, SharedBandwidthsJoinFilesOfAnyName) {
  // Pieces at 0 and 10 have 20 bandwidths in common, those at 0 and 25 five: too few to tell.
  EXPECT_EQ(groups({piece("a", 1, 0, 30), piece("b", 1, 10, 30), piece("c", 2, 0, 30)}),
            (std::vector<std::vector<std::size_t>>{{0, 1}, {2}}));
  EXPECT_EQ(groups({piece("a", 1, 0, 30), piece("b", 1, 25, 30)}).size(), 2u);
  // By the one between them they are of one recording all the same.
  EXPECT_EQ(groups({piece("a", 1, 0, 30), piece("b", 1, 25, 30), piece("c", 1, 10, 40)}).size(),
            1u);
  EXPECT_EQ(groups({piece("a", 3, 0, 2), piece("b", 3, 0, 2)}).size(), 1u);  // short, and the same
  EXPECT_EQ(groups({piece("trace_7_x_0", 1, 0, 30), piece("trace_7_y_0", 2, 0, 30)}).size(), 1u);
}

TEST(Recordings, ASamplingRateDoesNotHideThem) {
  NetworkTrace coarse = piece("a", 1, 0, 30), fine{.name = "b", .time_s = {0}, .mbps = {1}};
  for (std::size_t i = 1; i < coarse.mbps.size(); ++i)
    for (int k = 0; k < 5; ++k) {
      fine.time_s.push_back(fine.time_s.back() + 1);
      fine.mbps.push_back(coarse.mbps[i]);
    }
  EXPECT_EQ(groups({coarse, fine}).size(), 1u);
}

TEST(Recordings, TwoLevelsAreNoRecording) {
  std::vector<double> mbps;
  for (int i = 0; i < 40; ++i) mbps.push_back(i % 2);
  const auto trace = [&](const std::string& name, double last) {
    std::vector<double> all = mbps;
    all.push_back(last);
    return abr::traces::trace_of(name, std::vector<double>(all.size(), 1.0), all);
  };
  EXPECT_EQ(groups({trace("a", 2), trace("b", 3)}).size(), 2u);
}

TEST(Overlap, CountsByHand) {
  const std::vector<NetworkTrace> train{piece("trace_1_x", 1, 0, 60), piece("trace_2_x", 2, 0, 60)};
  const std::vector<NetworkTrace> test{
      piece("0_trace_1_x_0", 1, 0, 60),   // the same
      piece("1_trace_1_x_9", 1, 20, 30),  // a part
      piece("2_trace_1_y_0", 9, 0, 30),   // of the same unit, measured to another target
      piece("3_trace_3_x_0", 3, 0, 30)};
  EXPECT_EQ(abr::traces::overlap(test, train),
            (Overlap{.recordings = 1, .traces = {0, 1, 2}, .parts = 2, .same = 1}));
  EXPECT_EQ(abr::traces::overlap(train, test),
            (Overlap{.recordings = 1, .traces = {0}, .parts = 1, .same = 1}));
}

/// Ten recordings with three pieces each, which overlap by a third.
TraceSet thirty() {
  TraceSet set;
  for (std::uint64_t unit = 0; unit < 10; ++unit)
    for (std::size_t i = 0; i < 3; ++i)
      set.add(piece("trace_" + std::to_string(unit) + "_x_" + std::to_string(i), unit, 20 * i, 30));
  return set;
}

TEST(Split, NoTwoPartsShareARecordingAndNothingIsLost) {
  TraceSet given = thirty();
  const Split split = abr::traces::split_traces(given, {});
  const std::vector<std::size_t> expected{6, 2, 2};
  std::set<std::string> names;
  for (std::size_t i = 0; i < split.parts.size(); ++i) {
    EXPECT_EQ(split.parts[i].recordings, expected[i]);
    EXPECT_EQ(split.parts[i].traces.size(), 3 * expected[i]);
    for (const NetworkTrace& trace : split.parts[i].traces) names.insert(trace.name);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(abr::traces::overlap(split.parts[i].traces, split.parts[j].traces), Overlap{});
  }
  EXPECT_EQ(names.size(), 30u);
  EXPECT_TRUE(given.left_out().empty());
}

TEST(Split, DependsOnNamesAndSeedAloneNotOnTheOrder) {
  TraceSet given = thirty(), turned, other = thirty();
  for (auto at = given.traces().rbegin(); at != given.traces().rend(); ++at) turned.add(*at);
  const auto test_of = [](TraceSet& set, const SplitOptions& options) {
    return abr::traces::split_traces(set, options).parts[2].traces;
  };
  EXPECT_EQ(test_of(given, {.most = 2}), test_of(turned, {.most = 2}));
  EXPECT_NE(test_of(given, {}), test_of(other, {.seed = 2}));
}

TEST(Split, LeavesOutPartsOfOthersAndWhatIsTooMuch) {
  TraceSet given = thirty();
  given.add(piece("0_trace_0_x_0", 0, 5, 20));  // within trace_0_x_0
  given.add(piece("cellular", 77, 0, 30));
  const Split split = abr::traces::split_traces(given, {.most = 2, .match = "*trace_*"});
  std::size_t kept = 0;
  for (const auto& part : split.parts) kept += part.traces.size();
  EXPECT_EQ(kept, 20u);
  std::uint64_t left_out = 0;
  for (const auto& one : given.left_out()) left_out += one.count;
  EXPECT_EQ(given.left_out()[0].why, "not of that name");
  EXPECT_EQ(given.left_out()[0].count, 1u);
  EXPECT_EQ(left_out, given.traces().size() - kept);
  TraceSet again = thirty();
  again.add(piece("0_trace_0_x_0", 0, 5, 20));
  static_cast<void>(abr::traces::split_traces(again, {}));
  ASSERT_EQ(again.left_out().size(), 1u);
  EXPECT_EQ(again.left_out()[0].why, "a part of another one");
  EXPECT_EQ(again.left_out()[0].first, "0_trace_0_x_0");
}

TEST(Split, TooFewRecordingsAreRefused) {
  TraceSet two;
  two.add(piece("a", 1, 0, 30));
  two.add(piece("b", 2, 0, 30));
  EXPECT_EQ(error_of([&] { static_cast<void>(abr::traces::split_traces(two, {})); }),
            "no recording is left for test; there are 2");
}

}  // namespace split_test
}  // namespace park::test
