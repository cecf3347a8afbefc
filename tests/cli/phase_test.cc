// `park run --phase`: inputs that are held out, those to choose by, and those of training and tuning.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace phase_test {

using Json = nlohmann::json;

std::vector<std::string> play(const std::vector<std::string>& more) {
  std::vector<std::string> words{
      "run", "load_balance(servers=3,jobs=50)", "--policy", "random,power_of_d", "--episodes", "3"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json played(std::vector<std::string> more) {
  more.push_back("--json");
  const Finished park = run_park(play(more));
  EXPECT_EQ(park.code, 0) << park.err;
  Json json = Json::parse(park.out);
  for (Json& result : json.at("results")) result.erase("wall_s");
  return json;
}

TEST(RunPhase, EachHasInputsOfItsOwn) {
  const Json held_out = played({});
  EXPECT_EQ(played({"--phase", "evaluate"}), held_out);
  EXPECT_FALSE(held_out.contains("phase"));
  const Json chosen_by = played({"--phase", "validate"}), trained = played({"--phase", "train"});
  EXPECT_EQ(chosen_by.at("phase"), "validate");
  EXPECT_EQ(trained.at("phase"), "train");
  EXPECT_NE(chosen_by.at("results"), held_out.at("results"));
  EXPECT_NE(trained.at("results"), held_out.at("results"));
  EXPECT_NE(trained.at("results"), chosen_by.at("results"));
}

/// Fields that park tune chose by these episodes have these figures in them.
TEST(RunPhase, TheInputsOfTrainingAreThoseOfTuning) {
  const Finished tuned = run_park({"tune", "load_balance(servers=3,jobs=50)", "--policy",
                                   "power_of_d", "--episodes", "3", "--json", "--quiet"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const Json json = Json::parse(tuned.out);
  const Json again = played({"--phase", "train"}).at("results")[1];
  bool found = false;
  for (const Json& tried : json.at("tried")) {
    if (tried.at("policy") != "power_of_d") continue;
    found = true;
    EXPECT_EQ(tried.at("mean"), again.at("metrics").at(json.at("metric").at("name")).at("mean"));
  }
  EXPECT_TRUE(found) << tuned.out;
}

TEST(RunPhase, AnotherNameIsRefused) {
  const Finished park = run_park(play({"--phase", "test"}));
  EXPECT_EQ(park.code, 2);
  EXPECT_EQ(park.out, "");
  EXPECT_NE(park.err.find("--phase"), std::string::npos) << park.err;
  EXPECT_NE(park.err.find("validate"), std::string::npos) << park.err;
}

}  // namespace phase_test
}  // namespace park::cli
