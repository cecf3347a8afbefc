// park explain of every bundled network, in the environment that it fits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace explain_networks_test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Json head_of(const Finished& done) { return Json::parse(done.out).at("heads").at(0); }

TEST(ExplainNetworksLong, EveryBundledOne) {
  if (!PARK_HAS_AGENTS) GTEST_SKIP() << "networks need the agents module, which was not built";
  Registry registry;
  envs::register_all(registry);
  runs::add_checkpoint_policies(registry);
  std::size_t networks = 0;
  for (const std::string& env : registry.env_names())
    for (const PolicyInfo& network : registry.bundled_policies(registry.spec(env))) {
      ++networks;
      Words words{"explain", env, "--policy", network.name, "--episodes", "2", "--quiet", "--json"};
      const Finished done = run_park(words);
      ASSERT_EQ(done.code, 0) << env << ' ' << network.name << ' ' << done.err;
      EXPECT_GT(head_of(done).at("levels").at(0).at("choices"), 0) << network.name;
      words.insert(words.end(), {"--episode", "1", "--decision", "2"});
      const Finished one = run_park(words);
      ASSERT_EQ(one.code, 0) << env << ' ' << network.name << ' ' << one.err;
      EXPECT_TRUE(Json::parse(one.out).at("answers_from_rows").get<bool>()) << network.name;
      EXPECT_FALSE(head_of(one).at("candidates").at(0).at("score").is_null()) << network.name;
    }
  EXPECT_GE(networks, 3u);
}

}  // namespace explain_networks_test
}  // namespace park::cli
