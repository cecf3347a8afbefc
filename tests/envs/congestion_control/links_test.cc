// Links as lists of opportunities: importers, generator, summary.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "park/core/error.h"
#include "park/envs/congestion_control/links/generate.h"
#include "park/envs/congestion_control/links/import_links.h"
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
