#include "park/core/golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "park/core/text.h"
#include "tests/check/subject.h"

namespace park::test {
namespace {

namespace fs = std::filesystem;

/// Records name their files from the source tree.
class Golden : public testing::Test {
 protected:
  void SetUp() override { fs::current_path(PARK_SOURCE_DIR); }
  void TearDown() override { fs::current_path(before_); }

 private:
  fs::path before_ = fs::current_path();
};

std::vector<fs::path> golden_files() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator("tests/golden"))
    if (entry.path().extension() == ".txt") all.push_back(entry.path());
  return all;
}

ReplayReport replayed(const fs::path& file) {
  std::ifstream in(file);
  return replay(in, full_registry());
}

TEST_F(Golden, EveryRecordReplays) {
  ASSERT_FALSE(golden_files().empty());
  for (const fs::path& file : golden_files()) {
    const ReplayReport report = replayed(file);
    EXPECT_GT(report.decisions, 0u) << file;
    for (const Difference& d : report.differences)
      ADD_FAILURE() << file << ":" << d.line << ": " << d.field << ": recorded " << d.expected
                    << ", now " << d.found;
  }
}

TEST_F(Golden, EveryEnvironmentHasOne) {
  for (const std::string& env : full_registry().env_names()) {
    const fs::path file = "tests/golden/" + env + ".txt";
    if (!fs::exists(file) && full_registry().env(env).traits().system) continue;
    ASSERT_TRUE(fs::exists(file)) << file;
    EXPECT_EQ(parse_text(replayed(file).env).text, env);
    EXPECT_LT(fs::file_size(file), 200'000u) << "a golden record is small";
  }
}

}  // namespace
}  // namespace park::test
