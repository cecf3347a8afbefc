// Training on an environment of a plug-in, and what a run asks for when it goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace {

TEST(PluginTraining, IsRecordedAndResumedWithThePluginAlone) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "networks need the agents module, which was not built";
  const std::string run = scratch_path("run"),
                    speed = std::string(PARK_EXAMPLE_PLUGINS) + "/libspeed.so";
  const Finished trained =
      run_park({"train", "speed(interval_s=2)", "--algo", "reinforce(rollouts=2)", "--iterations",
                "1", "--validation-episodes", "1", "--out", run, "--plugin", speed, "--quiet"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto manifest = nlohmann::json::parse(read_text(run + "/manifest.json"));
  EXPECT_EQ(manifest.at("plugins").at(0).at("name"), "speed");
  EXPECT_EQ(manifest.at("plugins").at(0).at("sha256").get<std::string>().size(), 64U);

  const std::vector<std::string> resume{"train",        "--out", run,      "--resume",
                                        "--iterations", "2",     "--quiet"};
  const Finished without = run_park(resume);
  EXPECT_EQ(without.code, 2);
  EXPECT_EQ(std::ranges::count(without.err, '\n'), 1) << without.err;
  EXPECT_NE(without.err.find("--resume: the plug-in speed 1.0 (libspeed.so, SHA-256 "),
            std::string::npos)
      << without.err;
  auto with = resume;
  with.insert(with.end(), {"--plugin", speed});
  const Finished resumed = run_park(with);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  const Finished played = run_park({"run", "speed(interval_s=2)", "--plugin", speed, "--policy",
                                    run, "--episodes", "1", "--quiet"});
  EXPECT_EQ(played.code, 0) << played.err;
}

}  // namespace
}  // namespace park::cli
