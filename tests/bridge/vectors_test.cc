// The vectors that clients are tested with are what this version writes and reads.
#include "tests/bridge/tools/vectors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/bridge/tools/message_json.h"

namespace park::bridge {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PARK_SOURCE_DIR) / "bridge/conformance/vectors";

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Where this fails because messages have new fields, the old files stay and get a name of their
// own: `park_conformance vectors bridge/conformance/vectors` writes new ones.
TEST(Vectors, AreThoseOfTheFolder) {
  const auto all = test::vectors();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kFolder))
    files += entry.path().extension() == ".bin";
  EXPECT_EQ(files, all.size());
  for (const auto& [name, bytes] : all) {
    const std::string expected(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(content(kFolder / (name + ".bin")) == expected, true) << name;
  }
  EXPECT_EQ(content(kFolder / "expected.txt"), test::expected_lines(all));
}

TEST(Vectors, AreRejectedWhereTheirNameSaysSo) {
  for (const auto& [name, bytes] : test::vectors())
    EXPECT_EQ(test::message_json(bytes) == "reject", name.starts_with("reject_")) << name;
}

TEST(Vectors, HaveTheNamesOfCodes) {
  EXPECT_EQ(test::name_of(Code::ILLEGAL_ACTION), "illegalAction");
  EXPECT_EQ(test::name_of(static_cast<Code>(99)), "");
}

}  // namespace
}  // namespace park::bridge
