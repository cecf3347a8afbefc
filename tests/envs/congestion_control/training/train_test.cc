// `park train` on scores below 0, and on what the environment derives from its leaves.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace congestion_training_test {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

Json trained(const std::string& folder, const Arguments& more) {
  Arguments all{"train",
                "--env",
                "congestion_control(duration_s=1)*2",
                "--env",
                "congestion_control(duration_s=1,own=2)",
                "--algo",
                "ppo(sequences=2,rollouts=1)",
                "--baseline",
                "value",
                "--net",
                "mlp(hidden1=4,hidden2=4,inputs=derived)",
                "--validation-episodes",
                "4",
                "--iterations",
                "1",
                "--json",
                "--quiet",
                "--out",
                scratch_path(folder)};
  all.insert(all.end(), more.begin(), more.end());
  const Finished park = run_park(all);
  EXPECT_EQ(park.code, 0) << park.err;
  return Json::parse(park.out);
}

/// What is better than the heuristic counts as better, though a ratio of negative scores is smaller.
TEST(CongestionTraining, AMixtureIsScaledByTheSizeOfAHeuristicsScoreOrStaysAsItIs) {
  const Json plain = trained("plain", {}), scaled = trained("scaled", {"--scale-by", "reno"});
  EXPECT_EQ(plain.at("metric"), "score");
  EXPECT_EQ(scaled.at("metric"), "score / reno");
  for (const Json& one : {plain, scaled}) {
    EXPECT_EQ(one.at("better"), "higher");
    EXPECT_LT(one.at("best").at("mean"), 0);
  }
  EXPECT_NE(plain.at("best").at("mean"), scaled.at("best").at("mean"));
}

}  // namespace congestion_training_test
}  // namespace park::cli
