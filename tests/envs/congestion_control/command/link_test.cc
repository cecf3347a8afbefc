// `park data link`; run on the binary itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace link_command_test {

using Json = nlohmann::json;

TEST(LinkCommand, GeneratesWhatEnvironmentsPlay) {
  const std::string out = scratch_path("made.link");
  const Finished made = run_park({"data", "link", "generate", "--mbps", "6", "--duration-s", "5",
                                  "--out", out, "--json", "--overwrite"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NEAR(Json::parse(made.out).at("mean_mbps").get<double>(), 6, 4);
  const Finished told = run_park({"data", "link", "describe", out, "--json"});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(Json::parse(told.out).at("opportunities"), Json::parse(made.out).at("opportunities"));
  const Finished played = run_park({"run", "congestion_control(duration_s=1,link=\"" + out + "\")",
                                    "--policy", "copa", "--episodes", "2", "--json"});
  EXPECT_EQ(played.code, 0) << played.err;
}

TEST(LinkCommand, NamesThePlaceOfABadLine) {
  const std::string file = scratch_path("bad.link");
  std::ofstream(file) << "1\n2\nx\n";
  const Finished refused =
      run_park({"data", "link", "import", "mahimahi", file, "--out", scratch_path("no.link")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("bad.link:3: must be one time in whole milliseconds"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_path("no.link")));
}

TEST(LinkCommand, ImportsAnExperimentOfPantheonThatCanBePlayed) {
  const std::string file = scratch_path("pantheon_metadata.json"), out = scratch_path("p.link");
  std::ofstream(file) << R"({"mode": "local", "uplink_trace": "p.trace", "runtime": 2,
                             "prepend_mm_cmds": "mm-delay 10"})";
  std::ofstream(scratch_path("p.trace")) << "1\n2\n";
  const Finished made =
      run_park({"data", "link", "import", "pantheon", file, "--out", out, "--overwrite", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json told = Json::parse(made.out);
  EXPECT_EQ(told.at("left_out"), Json::array());
  EXPECT_EQ(told.at("mean_mbps"), 12);
  const Finished played =
      run_park({"run", told.at("env"), "--policy", "reno", "--episodes", "1", "--json"});
  EXPECT_EQ(played.code, 0) << played.err;
}

}  // namespace link_command_test
}  // namespace park::cli
