#include "park/core/golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "park/core/text.h"
#include "tests/check/registered.h"

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

std::vector<fs::path> golden_files(const std::string& env) {
  std::vector<fs::path> all;
  const fs::path folder = "park/envs/" + env + "/golden";
  if (!fs::is_directory(folder)) return all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".txt") all.push_back(entry.path());
  return all;
}

TEST_F(Golden, EveryEnvironmentHasRecordsAndTheyReplay) {
  for (const std::string& env : full_registry().env_names()) {
    EXPECT_FALSE(golden_files(env).empty()) << env;
    for (const fs::path& file : golden_files(env)) {
      std::ifstream in(file);
      const ReplayReport report = replay(in, full_registry());
      EXPECT_EQ(parse_text(report.env).text, env) << file;
      EXPECT_GT(report.decisions, 0u) << file;
      EXPECT_LT(fs::file_size(file), 200'000u) << "a golden record is small";
      for (const Difference& d : report.differences)
        ADD_FAILURE() << file << ":" << d.line << ": " << d.field << ": recorded " << d.expected
                      << ", now " << d.found;
    }
  }
}

}  // namespace
}  // namespace park::test
