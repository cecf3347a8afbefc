// `park data accounts`; run on the binary itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace accounts_command_test {

using Json = nlohmann::json;

Finished hindsight(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"data", "accounts", "hindsight"});
  return run_park(arguments);
}

TEST(AccountsCommand, WritesAProgramPerEpisode) {
  const std::string folder = scratch_path("programs");
  std::filesystem::create_directories(folder);
  const Finished made = hindsight({"region_assignment(accounts=5)", "--seed", "3", "--episodes",
                                   "2", "--out", folder, "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report.at("env"), "region_assignment(accounts=5)");
  EXPECT_EQ(report.at("seed"), 3);
  ASSERT_EQ(report.at("inputs_sha256").size(), 2u);
  EXPECT_NE(report.at("inputs_sha256").at(0), report.at("inputs_sha256").at(1));
  for (const char* file : {"/episode-0.mps", "/episode-1.mps"}) {
    const std::string text = read_text(folder + file);
    EXPECT_TRUE(text.starts_with("NAME hindsight\nROWS\n N cost\n E a0\n")) << text.substr(0, 80);
    EXPECT_TRUE(text.ends_with("ENDATA\n"));
  }
}

TEST(AccountsCommand, RefusesWhatHasNoBound) {
  const std::string folder = scratch_path("");
  const auto refusal = [&](const std::string& env, const std::string& out) {
    const Finished refused = hindsight({env, "--out", out});
    EXPECT_EQ(refused.code, 2) << env;
    return refused.err;
  };
  EXPECT_NE(refusal("region_assignment(migrations=1)", folder).find("migrations = 1 has no bound"),
            std::string::npos);
  EXPECT_NE(refusal("region_assignment(load=2)", folder).find("load = 2 is outside [0.01, 1)"),
            std::string::npos);
  EXPECT_NE(refusal("load_balance", folder).find("'load_balance' is not region_assignment"),
            std::string::npos);
  EXPECT_NE(refusal("region_assignment", folder + "/none").find("none is no folder"),
            std::string::npos);
}

}  // namespace accounts_command_test
}  // namespace park::cli
