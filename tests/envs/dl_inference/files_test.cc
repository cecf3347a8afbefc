// What dl_inference reads: tables of latencies, traces of arrivals; and what it says about files and
// fields that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dl_inference/application.h"
#include "park/envs/dl_inference/trace.h"
#include "tests/envs/dl_inference/fixture.h"
#include "tests/kit/estimates.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace inference_files_test {

using dl_inference::ArrivalTrace;
using dl_inference::LatencyTable;

const std::string kTable = "app,batch,latency_s\nmlp,1,0.5\nmlp,4,0.8\nmlp,5,0.8\n\"a,b\",1,2\n";

std::string table_error(const std::string& rows) {
  return error_of(
      [&] { static_cast<void>(LatencyTable::parse("app,batch,latency_s\n" + rows, "T")); });
}

TEST(LatencyTables, AreInterpolated) {
  const LatencyTable table = LatencyTable::parse(kTable, "T");
  ASSERT_EQ(table.apps().size(), 2u);
  EXPECT_EQ(table.apps()[0].name, "mlp");
  EXPECT_EQ(table.apps()[1].name, "a,b");
  EXPECT_EQ(table.apps()[0].max_batch(), 5u);
  const std::vector<double> expected{0, 0.5, 0.6, 0.7, 0.8, 0.8};
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(table.apps()[0].latency_s[k], expected[k], 1e-15);
  EXPECT_EQ(table.apps()[1].max_batch(), 1u);
}

TEST(LatencyTables, BundledOnesAreRead) {
  std::size_t tables = 0;
  for (const auto& file : std::filesystem::directory_iterator(PARK_SOURCE_DIR "/data/latencies")) {
    if (file.path().extension() != ".csv") continue;
    ++tables;
    const auto table = LatencyTable::open(file.path());
    for (const auto& app : table->apps())
      EXPECT_GT(app.max_batch(), 1u) << file.path() << ' ' << app.name;
  }
  EXPECT_GT(tables, 0u);
}

TEST(LatencyTables, SayInALineWhatIsWrong) {
  EXPECT_EQ(error_of([] { static_cast<void>(LatencyTable::parse("app,batch\n", "T")); }),
            "T:1: the header must be 'app,batch,latency_s'");
  EXPECT_EQ(table_error("a,1\n"), "T:2: must have 3 fields: app,batch,latency_s");
  EXPECT_EQ(table_error(",1,1\n"), "T:2: app must not be empty");
  EXPECT_EQ(table_error("a,1,1\na,2.5,1\n"), "T:3: batch must be a whole number from 1 to 256");
  EXPECT_EQ(table_error("a,1,1\na,257,1\n"), "T:3: batch must be a whole number from 1 to 256");
  for (const char* latency : {"0", "nan", "inf", "-1", "1 s", ""})
    EXPECT_EQ(table_error(std::string("a,1,") + latency + "\n"),
              "T:2: latency_s must be a number from 1e-6 to 1e6");
  EXPECT_EQ(table_error("a,2,1\n"), "T:2: the first batch of an app must be 1");
  EXPECT_EQ(table_error("a,1,1\na,1,2\n"), "T:3: batch must be larger than in the line before");
  EXPECT_EQ(table_error("a,1,1\na,2,0.9\n"),
            "T:3: latency_s must not be smaller than in the line before");
  EXPECT_EQ(table_error("a,1,1\nb,1,1\na,2,2\n"),
            "T:4: app comes a second time; the lines of an app follow each other");
  EXPECT_EQ(table_error(""), "T: has no apps");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "app" + std::to_string(i) + ",1,1\n";
  EXPECT_EQ(table_error(many), "T:66: there are more than 64 apps");
  const std::string ten = table_error(std::string(100, '\n'));
  EXPECT_EQ(std::count(ten.begin(), ten.end(), '\n'), 9);
}

TEST(LatencyTables, GiveTheApplications) {
  const TemporaryFile file(kTable);
  InferencePlayer p("dl_inference(apps=table,table=\"" + file.path() +
                    "\",duration_s=1000,wait_max_s=10,weights=[2,3],rates=equal_load,load=0.5)");
  p.reset();
  while (p.choices() < 3) static_cast<void>(p.wait());
  const auto near = [&](const std::vector<double>& found, std::vector<double> expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
  };
  near(p.values(p.layout.max_batch), {5, 1, 0});
  near(p.values(p.layout.weight), {2, 3, 0});
  near(p.values(p.layout.rate), {0.25 / (0.8 / 5), 0.25 / 2, 0});
  near(p.values(p.layout.latency_s), {0.5, 0.6, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 2, 2, 2, 2, 2,
                                      2,   2,   2,   2,   0,   0,   0,   0,   0,   0, 0, 0, 0});
  EXPECT_EQ(p.spec.metrics.back().name, "device_s_1");
  EXPECT_EQ(registry().data_files("dl_inference(apps=table,table=\"x\")").size(), 1u);
}

std::string trace_error(const std::string& text) {
  return error_of([&] { static_cast<void>(ArrivalTrace::parse(text, "T")); });
}

TEST(ArrivalTraces, HaveTimesAndPerhapsApplications) {
  const ArrivalTrace one = ArrivalTrace::parse("time_s\r\n1\r\n2.5\r\n3\r\n", "T");
  EXPECT_EQ(std::vector<double>(one.times_s().begin(), one.times_s().end()),
            (std::vector<double>{1, 2.5, 3}));
  EXPECT_TRUE(one.apps().empty());
  EXPECT_DOUBLE_EQ(one.period_s(), 3);
  const ArrivalTrace two = ArrivalTrace::parse("time_s,app\n0,3\n1,0", "T");
  EXPECT_EQ(two.apps()[0], 3);
  EXPECT_EQ(error_of([&] { two.check_apps(3); }),
            "T:2: app 3 is beyond the 3 apps of the environment");
}

TEST(ArrivalTraces, SayInALineWhatIsWrong) {
  EXPECT_EQ(trace_error("time\n"), "T:1: the header must be 'time_s' or 'time_s,app'");
  EXPECT_EQ(trace_error("time_s\n1\nx\n2\n"), "T:3: time_s must be a number from 0 to 1e12");
  EXPECT_EQ(trace_error("time_s\n1\n-1\n"), "T:3: time_s must be a number from 0 to 1e12");
  EXPECT_EQ(trace_error("time_s\n2\n1\n"), "T:3: time_s must not decrease");
  EXPECT_EQ(trace_error("time_s,app\n1\n2,0\n"),
            "T:2: must be a time, a comma and the number of an app");
  for (const char* app : {"64", "-1", "0.5", "", "a"})
    EXPECT_EQ(trace_error(std::string("time_s,app\n0,0\n1,") + app + "\n"),
              "T:3: app must be a whole number from 0 to 63");
  EXPECT_EQ(trace_error("time_s\n"), "T: must have two arrivals at different times");
  EXPECT_EQ(trace_error("time_s\n1\n1\n"), "T: must have two arrivals at different times");
}

TEST(ArrivalTraces, AreSharedOutWhereTheFileNamesNoApplication) {
  std::string text = "time_s\n";
  for (int i = 0; i < 4000; ++i) text += std::to_string(i) + "\n";
  const TemporaryFile file(text);
  const Figures f = play_episodes(
      "dl_inference(apps=custom,custom=[app(b_s=0,max_batch=1),app(b_s=0,max_batch=1)],shares=[1,3]"
      ","
      "arrivals=trace,load=0.5,duration_s=20,trace=\"" +
          file.path() + "\")",
      "rr");
  for (const double requests : f.at("requests_done")) EXPECT_NEAR(requests, 2000.5, 0.6);
  expect_mean(f.at("device_s_1"), 0.005 * 1500, 0.03);
}

std::string config_error(const std::string& fields) {
  return error_of(
      [&] { static_cast<void>(registry().canonical_env("dl_inference(" + fields + ")")); });
}

TEST(InferenceFields, SayWhatIsAllowed) {
  EXPECT_EQ(config_error("apps=custom"), "custom must not be empty where apps = custom");
  EXPECT_EQ(config_error("custom=[app]"), "custom is allowed only where apps = custom");
  EXPECT_EQ(config_error("apps=table"), "table must not be empty where apps = table");
  EXPECT_EQ(config_error("arrivals=trace"), "trace must not be empty where arrivals = trace");
  EXPECT_EQ(config_error("trace=x"), "trace is allowed only where arrivals = trace");
  EXPECT_EQ(config_error("weights=[1,2]"),
            "weights has 2 values; allowed are none or one for each of the 4 apps");
  EXPECT_EQ(config_error("shares=[1]"),
            "shares has 1 values; allowed are none or one for each of the 4 apps");
  EXPECT_EQ(config_error("arrivals=bursts,burst_share=0.5"),
            "burst_factor = 3.5 times burst_share = 0.5 is above 1");
  EXPECT_EQ(config_error("duration_s=inf"),
            "horizon_s = inf must be finite where duration_s = inf");
  EXPECT_EQ(config_error("apps=custom,custom=[app(a_s=0,b_s=0)]"),
            "custom[0]: a_s = 0 and b_s = 0 must add up to at least 1e-6");
  EXPECT_EQ(config_error("duration_s=1e9").substr(0, 33), "duration_s = 1e+09 and load = 0.8");
}

TEST(InferenceFields, OfFilesThatAreNotThere) {
  const auto error = [](const std::string& text) {
    return error_of(
        [&] { static_cast<void>(registry().env_factory("dl_inference(" + text + ")")()); });
  };
  EXPECT_EQ(error("apps=table,table=none.csv"),
            "table: cannot read 'none.csv': No such file or directory");
  EXPECT_EQ(error("arrivals=trace,trace=none.csv"),
            "trace: cannot read 'none.csv': No such file or directory");
  const TemporaryFile table(kTable), trace("time_s,app\n0,0\n1,2\n");
  EXPECT_EQ(error("apps=table,weights=[1],table=\"" + table.path() + "\""),
            "weights has 1 values; allowed are none or one for each of the 2 apps of the table");
  EXPECT_EQ(error("apps=custom,custom=[app],arrivals=trace,trace=\"" + trace.path() + "\""),
            trace.path() + ":3: app 2 is beyond the 1 apps of the environment");
}

}  // namespace inference_files_test
}  // namespace park::test
