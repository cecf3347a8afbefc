// `park judge`: a candidate is judged with exit code 0 in any case, bad input is one line with exit
// code 2, and task folders have what their adapters need.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/scratch_folder.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace judge_command_test {

using Words = std::vector<std::string>;

Finished judged(const std::string& file, const Words& more) {
  Words words{"judge",    file,         "--env",    "load_balance(servers=3,jobs=20)",
              "--rivals", "least_work", "--inputs", "2"};
  words.insert(words.end(), more.begin(), more.end());
  return run_park(words);
}

TEST(Judge, ACandidateIsJudgedInAnyCase) {
  const test::ScratchFolder folder("judge");
  const std::string good = folder.file("good.expr"), bad = folder.file("bad.expr");
  test::write_text(good, "server = -server.work\n");
  test::write_text(bad, "server = answers\n");
  const Finished done = judged(good, {"--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json.at("schema"), "park.judgement");
  EXPECT_EQ(json.at("verdict"), "valid");
  EXPECT_EQ(json.at("score"), 1) << "as least_work";
  EXPECT_EQ(json.at("sets").size(), 2u);
  const Finished refused = judged(bad, {});
  EXPECT_EQ(refused.code, 0) << refused.err;
  EXPECT_NE(refused.out.find("refused"), std::string::npos) << refused.out;
  EXPECT_EQ(refused.out.find("candidate minus policy"), std::string::npos) << "no table of rivals";
}

TEST(Judge, BadInputIsOneLineAndExitCode2) {
  const test::ScratchFolder folder("judge");
  const std::string file = folder.file("x.expr");
  test::write_text(file, "server = 1\n");
  const auto error = [](const Finished& done) {
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_EQ(done.out, "");
    return done.err;
  };
  EXPECT_NE(error(judged(folder.file("x.rs"), {})).find("ends with .cc"), std::string::npos);
  EXPECT_NE(error(judged(folder.file("none.py"), {})).find("none.py"), std::string::npos);
  EXPECT_NE(error(judged(file, {"--set", "validation", "--hidden-seed", "3"})).find("--set hidden"),
            std::string::npos);
  EXPECT_NE(error(judged(file, {"--claim", "much"})).find("--claim"), std::string::npos);
  EXPECT_NE(error(judged(file, {"--bound", "nobody"})).find("--bound"), std::string::npos);
}

TEST(Judge, AClaimNeedsABound) {
  const test::ScratchFolder folder("judge");
  const std::string file = folder.file("x.expr");
  test::write_text(file, "server = 1\n");
  const Finished boundless = judged(file, {"--claim", "1"});
  EXPECT_EQ(boundless.code, 2);
  EXPECT_EQ(boundless.err,
            "error: --claim: needs --bound, since no suite names one for "
            "load_balance(servers=3,jobs=20)\n");
  EXPECT_EQ(judged(file, {"--claim", "1", "--bound", "random"}).code, 0);
}

TEST(Judge, TaskFoldersHaveAProgramATextAndAnAdapter) {
  const test::ScratchFolder folder("judge");
  for (const std::string format : {"openevolve", "skydiscover", "shinka", "gepa", "harbor"}) {
    const std::string task = folder.file(format);
    const Finished done = run_park(
        {"judge", "export", "--format", format, "--env", "load_balance(jobs=20)", "--out", task});
    ASSERT_EQ(done.code, 0) << done.err;
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(task))
      if (entry.is_regular_file()) all += test::read_text(entry.path().string());
    for (const char* part : {"def decide(row)", "job.size", "load_balance(jobs=20)", "judge"})
      EXPECT_NE(all.find(part), std::string::npos) << format << ' ' << part;
    EXPECT_EQ(all.find("@ENV@"), std::string::npos) << format;
  }
}

}  // namespace judge_command_test
}  // namespace park::cli
