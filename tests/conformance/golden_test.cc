#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "park/core/record.h"
#include "park/core/text.h"
#include "tests/conformance/subject.h"

namespace park::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> golden_files() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(PARK_SOURCE_DIR "/tests/golden"))
    if (entry.path().extension() == ".txt") all.push_back(entry.path());
  return all;
}

ReplayReport replayed(const fs::path& file) {
  std::ifstream in(file);
  return replay(in, full_registry());
}

TEST(Golden, EveryRecordReplays) {
  for (const fs::path& file : golden_files()) {
    const ReplayReport report = replayed(file);
    EXPECT_GT(report.decisions, 0u) << file;
    for (const Difference& d : report.differences)
      ADD_FAILURE() << file << ":" << d.line << ": " << d.field << ": recorded " << d.expected
                    << ", now " << d.found;
  }
}

TEST(Golden, EverySimulatedEnvironmentHasOne) {
  for (const std::string& env : full_registry().env_names()) {
    if (full_registry().traits(env).system) continue;
    const fs::path file = fs::path(PARK_SOURCE_DIR "/tests/golden") / (env + ".txt");
    ASSERT_TRUE(fs::exists(file)) << file;
    EXPECT_EQ(parse_text(replayed(file).env).text, env);
    EXPECT_LT(fs::file_size(file), 200'000u) << "a golden record is small";
  }
}

}  // namespace
}  // namespace park::test
