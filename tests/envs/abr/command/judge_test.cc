// `park judge` and the bound that the suite of this environment names.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/scratch_folder.h"
#include "tests/kit/subprocess.h"

namespace park::abr {
namespace judge_command_test {

TEST(AbrJudge, AClaimIsComparedWithTheBoundOfTheSuiteWhoeverTheRivalsAre) {
  const test::ScratchFolder folder("judge");
  const std::string file = folder.file("x.expr");
  test::write_text(file, "quality = 1\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--rivals", "bb"}, {"--rivals", "offline_optimum"}}) {
    std::vector<std::string> words{"judge", file,    "--env",   "abr",     "--inputs", "1",
                                   "--set", "train", "--claim", "1000000", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const cli::Finished done = cli::run_park(words);
    ASSERT_EQ(done.code, 0) << done.err;
    const auto json = nlohmann::json::parse(done.out);
    EXPECT_EQ(json.at("verdict"), "above_bound") << done.out;
    EXPECT_EQ(json.at("sets")[0].at("differences").back().at("role"), "bound") << done.out;
  }
}

}  // namespace judge_command_test
}  // namespace park::abr
