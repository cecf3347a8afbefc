// `park data speeds`, on the binary itself.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace speeds_test {

using Json = nlohmann::json;

Finished speeds(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"data", "speeds"});
  return run_park(arguments);
}

TEST(SpeedsCommand, DescribesTheBundledTable) {
  const Finished park = speeds({"describe", "psworker", "--json"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json types = Json::parse(park.out).at("types");
  ASSERT_EQ(types.size(), 8U);
  EXPECT_EQ(types[0].at("name"), "conv_large");
  EXPECT_FALSE(types[0].at("stands_still"));
}

TEST(SpeedsCommand, WritesATableThatEnvironmentsTake) {
  const std::string path = scratch_path("psworker.csv");
  ASSERT_EQ(speeds({"write", "--out", path, "--overwrite"}).code, 0);
  const Finished park = run_park({"describe", "dl_cluster(table=\"" + path + "\")"});
  EXPECT_EQ(park.code, 0) << park.err;
}

TEST(SpeedsCommand, ReplacesAFileOnlyWhereItIsAsked) {
  const std::string path = scratch_path("kept.csv");
  ASSERT_EQ(speeds({"write", "--out", path, "--overwrite"}).code, 0);
  const Finished again = speeds({"write", "--out", path});
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.err, "error: --out: " + path + " exists; give --overwrite to replace it\n");
}

TEST(SpeedsCommand, ADamagedTableOfDl2IsRefusedByItsLine) {
  const std::string path = scratch_path("config_speed.txt");
  std::ofstream(path) << "('vgg-16', 'dist_sync', 32, 1, 1, [3.5], [1.9], [0.5])\n(\n";
  const Finished park = speeds({"import", "dl2", path, "--out", scratch_path("speeds.csv")});
  EXPECT_EQ(park.code, 2);
  EXPECT_NE(park.err.find("config_speed.txt:2: must be ('model'"), std::string::npos) << park.err;
}

}  // namespace speeds_test
}  // namespace park::cli
