// Links as lists of opportunities: importers, generator, summary.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "park/core/error.h"
#include "park/envs/congestion_control/links/generate.h"
#include "park/envs/congestion_control/links/import_links.h"
#include "park/envs/congestion_control/links/pantheon.h"
#include "park/envs/congestion_control/links/summary.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {
namespace {

net::Opportunities imported(Form form, const std::string& text, const ImportOptions& options = {}) {
  files::RecordedFile file{"rec.csv", files::memory_source(text)};
  files::RowCount count;
  return import_throughputs(form, file, options, count);
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Links, ImportsLumos5g) {
  const std::string text = "run_num,seq_num,Throughput\n1,1,12\n2,1,600\n1,2,24\n";
  const LinkSummary all = summarize(imported(Form::lumos5g, text));
  EXPECT_DOUBLE_EQ(all.duration_s, 3);
  EXPECT_NEAR(all.mean_mbps, 212, 0.01);
  const LinkSummary first = summarize(imported(Form::lumos5g, text, {.run = 1}));
  EXPECT_DOUBLE_EQ(first.duration_s, 2);
  EXPECT_NEAR(first.least_mbps, 12, 0.02);
  EXPECT_NEAR(first.most_mbps, 24, 0.02);
}

TEST(Links, ImportsIrish5g) {
  const std::string text = "Timestamp,DL_bitrate\na,12000\nb,0\nc,6000\n";
  const LinkSummary s = summarize(imported(Form::irish5g, text));
  EXPECT_NEAR(s.mean_mbps, 6, 0.01);
  EXPECT_NEAR(s.silent_share, 1.0 / 3, 1e-9);
  EXPECT_NEAR(s.longest_gap_s, 1.002, 0.002);
}

TEST(Links, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(error_of([] { static_cast<void>(imported(Form::lumos5g, "a,b\n1,2\n")); }),
            "rec.csv:1: must name the column Throughput");
  const std::string bad =
      error_of([] { static_cast<void>(imported(Form::irish5g, "DL_bitrate\n5\n-\n")); });
  EXPECT_NE(bad.find("rec.csv:3: the throughput must be from 0 to 1e6 Mbit/s"), std::string::npos)
      << bad;
  EXPECT_EQ(error_of([] { static_cast<void>(imported(Form::irish5g, "DL_bitrate\n0\n0\n")); }),
            "the link never carries 1500 bytes");
}

PantheonExperiment pantheon(const std::string& members) {
  const std::string text = R"({"mode": "local",
"uplink_trace": "up")" + members +
                           "}";
  const auto source = files::memory_source(text);
  return parse_pantheon(*source, "meta.json");
}

TEST(Links, ImportsAnExperimentOfPantheon) {
  const PantheonExperiment nepal = pantheon(
      R"(, "downlink_trace": "up", "flows": 1, "interval": 0, "runtime": 30, "run_times": 3,
                 "prepend_mm_cmds": "mm-delay 28 mm-loss uplink 0.0477",
                 "extra_mm_link_args": "--uplink-queue=droptail --uplink-queue-args=packets=14")");
  EXPECT_EQ(environment_of(nepal, "nepal.link"),
            "congestion_control(preset=park,link=nepal.link,rtt_ms=56,loss=0.0477,queue_packets=14,"
            "duration_s=30)");
  EXPECT_TRUE(nepal.left_out.empty());
}

TEST(Links, SaysWhatOfAnExperimentIsLeftOut) {
  const PantheonExperiment made = pantheon(
      R"(, "downlink_trace": "slow", "flows": 3, "interval": 5,
         "prepend_mm_cmds": "mm-delay 10 mm-loss downlink 0.1", "append_mm_cmds": "mm-delay 5",
         "extra_mm_link_args": "--uplink-queue=codel --uplink-queue-args=bytes=9000,target=50 --meter-all")");
  EXPECT_EQ(environment_of(made, "x"),
            "congestion_control(preset=park,link=x,rtt_ms=30,loss=0,own=3,queue=codel,"
            "queue_packets=6)");
  const std::vector<std::string> expected{"interval: all flows begin at once",
                                          "prepend_mm_cmds: no acknowledgement is lost",
                                          "extra_mm_link_args: target is that of the queue's RFC",
                                          "downlink_trace: acknowledgements meet no link"};
  EXPECT_EQ(made.left_out, expected);
}

TEST(Links, NamesTheMemberOfAnExperimentThatIsWrong) {
  const auto refused = [](const std::string& members) {
    return error_of([&] { static_cast<void>(pantheon(members)); });
  };
  EXPECT_EQ(refused(R"(, "mode": "remote")"), "meta.json:2: the member mode is given twice");
  EXPECT_EQ(refused(",\n\"runtime\": 0.5"),
            "meta.json:3: runtime: must be a whole number from 1 to 60");
  EXPECT_EQ(refused(R"(, "prepend_mm_cmds": "mm-delay x")"),
            "meta.json:2: prepend_mm_cmds: the delay in ms is 'x'; allowed are 0 to 25000");
  EXPECT_EQ(refused(R"(, "append_mm_cmds": "mm-onoff uplink 1 2")"),
            "meta.json:2: append_mm_cmds: the shell 'mm-onoff' is none of mm-delay and mm-loss");
  EXPECT_EQ(
      refused(R"(, "extra_mm_link_args": "--uplink-queue=drophead")"),
      "meta.json:2: extra_mm_link_args: the queue 'drophead' is none of infinite, droptail, codel "
      "and pie");
  const auto empty = files::memory_source("{}");
  EXPECT_EQ(error_of([&] { static_cast<void>(parse_pantheon(*empty, "meta.json")); }),
            "meta.json: mode: is missing");
}

TEST(Links, GeneratesWhatIsAskedFor) {
  GeneratorConfig c;
  c.duration_s = 600;
  c.outage_share = 0;
  const net::Opportunities all = generate_link(c);
  const LinkSummary s = summarize(all);
  EXPECT_NEAR(s.mean_mbps, 12, 0.8);
  EXPECT_GT(s.sd_mbps, 2);
  EXPECT_EQ(generate_link(c).ms, all.ms);
  c.seed = 2;
  EXPECT_NE(generate_link(c).ms, all.ms);
  c.outage_share = 0.2;
  EXPECT_NEAR(summarize(generate_link(c)).mean_mbps, 9.6, 1.2);
}

}  // namespace
}  // namespace park::congestion_control::links
