// Damaged files of links: lists of opportunities and recorded throughputs.
#include <gtest/gtest.h>

#include <string>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/congestion_control/config.h"
#include "park/envs/congestion_control/links/import_links.h"
#include "park/envs/congestion_control/links/pantheon.h"
#include "park/envs/congestion_control/links/summary.h"
#include "park/net/opportunity_file.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace links_fuzz_test {

using namespace congestion_control::links;

template <class Read>
void fuzz_link(std::uint64_t seed, const std::string& text, const std::string& donor, Read&& read) {
  read(text);
  Mutator mutate(seed);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged = mutate(text, donor);
    tally.run(i, [&] { read(damaged); });
  }
  tally.expect_both(24);
}

const std::string kList = "0\n1\n1\n2\n5\n8\n8\n13\n21\n34\n";

std::string throughputs() {
  std::string text = "run_num,Throughput\n";
  for (int i = 0; i < 150; ++i) text += "1," + std::to_string(1 + i % 20) + "\n";
  return text;
}

TEST(Fuzz, Opportunities) {
  fuzz_link(71, kList, "7\n", [](const std::string& text) {
    const net::Opportunities all = net::parse_opportunities(text, "fuzz");
    EXPECT_GT(all.period(), 0);
    EXPECT_EQ(net::parse_opportunities(net::opportunities_text(all), "again").ms, all.ms);
  });
}

TEST(Fuzz, Throughputs) {
  fuzz_link(72, throughputs(), "1,-\n", [](const std::string& text) {
    files::RecordedFile file{"fuzz", files::memory_source(text)};
    files::RowCount count;
    ImportOptions options;
    options.interval_s = 0.01;
    const net::Opportunities all = import_throughputs(Form::lumos5g, file, options, count);
    EXPECT_GT(all.period(), 0);
  });
}

TEST(Fuzz, ExperimentsOfPantheon) {
  const std::string experiment = R"({"mode": "local", "uplink_trace": "up", "flows": 3,
 "runtime": 30, "prepend_mm_cmds": "mm-delay 28 mm-loss uplink 0.05",
 "extra_mm_link_args": "--uplink-queue=droptail --uplink-queue-args=packets=14"})";
  fuzz_link(73, experiment, "mm-delay 1e9", [](const std::string& text) {
    const auto source = files::memory_source(text);
    const PantheonExperiment made = parse_pantheon(*source, "fuzz");
    // What was read is an environment that can be made.
    static_cast<void>(parse_config<congestion_control::CongestionControlConfig>(
        parse_text(environment_of(made, "fuzz.link"))));
  });
}

}  // namespace links_fuzz_test
}  // namespace park::test
