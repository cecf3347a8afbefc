// `park train` with a network that sees two graphs: operations with their tensors, devices with their links.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace placement_training_test {

using Json = nlohmann::json;

TEST(PlacementTraining, TheGraphNetworkLearnsFromLayeredGraphs) {
  const std::string run = scratch_path("run");
  const Finished park =
      run_park({"train", "device_placement(graph=layered,nodes=12,training=true,devices=4)",
                "--algo", "ppo(sequences=4,rollouts=8,epochs=6,learning_rate=0.01,entropy=0)",
                "--net", "graph(rounds=1,width=6,hidden=8,hidden1=16,hidden2=8)", "--iterations",
                "12", "--validation-episodes", "10", "--validate-every", "25%", "--out", run,
                "--json", "--quiet"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json json = Json::parse(park.out);
  EXPECT_EQ(json.at("metric"), "step_time_ratio");
  // It begins at 0.61, and the same training comes to 0.53 to 0.56.
  EXPECT_LT(json.at("best").at("mean").get<double>(),
            json.at("validations").front().at("mean").get<double>() - 0.03);
  const Finished played = run_park({"run", "device_placement(graph=layered,nodes=14,devices=3)",
                                    "--policy", run, "--episodes", "2", "--json"});
  EXPECT_EQ(played.code, 0) << played.err;  // another number of devices and of operations
}

}  // namespace placement_training_test
}  // namespace park::cli
