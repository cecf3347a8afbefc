// `park train` on an environment of a server.
#include <csignal>

#include "tests/cli/served.h"

namespace park::cli {
namespace {

TEST(Serve, ARemoteEnvironmentTrainsTheSamePolicy) {
  if (!PARK_HAS_AGENTS || !PARK_HAS_BRIDGE) GTEST_SKIP() << "agents or bridge were not built";
  Served served({"load_balance(jobs=20)"});
  const auto weights = [](const std::string& env, const std::string& name) {
    const std::string run = scratch_path(name);
    const Finished done =
        run_park({"train", env, "--algo", "ppo(sequences=2,rollouts=2)", "--net", "mlp",
                  "--iterations", "1", "--validation-episodes", "3", "--out", run, "--quiet"});
    EXPECT_EQ(done.code, 0) << done.err;
    return read_text(run + "/latest/policy.safetensors");
  };
  const std::string far = weights("remote(endpoint=\"" + served.endpoint() + "\")", "far");
  EXPECT_GT(far.size(), 10'000u);
  EXPECT_TRUE(far == weights("load_balance(jobs=20)", "near"));
  EXPECT_EQ(served.end(SIGINT).code, 0);
}

}  // namespace
}  // namespace park::cli
