// The vectors that clients are tested with are what this version writes and reads.
#include "tests/bridge/tools/vectors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>

#include "tests/bridge/tools/message_json.h"

namespace park::bridge {
namespace vectors_test {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PARK_SOURCE_DIR) / "bridge/conformance/vectors";

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Where this fails because messages have new fields, the old files stay and get a name of their
// own: `park_conformance vectors bridge/conformance/vectors` writes new ones.
void expect_files(const fs::path& folder, const std::map<std::string, Bytes>& all) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    files += entry.path().extension() == ".bin";
  EXPECT_EQ(files, all.size());
  for (const auto& [name, bytes] : all) {
    const std::string expected(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(content(folder / (name + ".bin")) == expected, true) << name;
  }
  EXPECT_EQ(content(folder / "expected.txt"), test::expected_lines(all));
}

TEST(Vectors, AreThoseOfTheFolder) {
  expect_files(kFolder, test::vectors());
  expect_files(kFolder / "requests", test::request_vectors());
}

TEST(Vectors, SayTheSameWhereverTheyBegin) {
  auto all = test::vectors();
  all.merge(test::request_vectors());
  for (const auto& [name, bytes] : all) {
    Bytes shifted(1);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    EXPECT_EQ(test::message_json(std::span(shifted).subspan(1)), test::message_json(bytes)) << name;
  }
}

TEST(Vectors, AreRejectedWhereTheirNameSaysSo) {
  auto all = test::vectors();
  all.merge(test::request_vectors());
  for (const auto& [name, bytes] : all)
    EXPECT_EQ(test::message_json(bytes) == "reject", name.starts_with("reject_")) << name;
}

TEST(Vectors, HaveTheNamesOfCodes) {
  EXPECT_EQ(test::name_of(Code::ILLEGAL_ACTION), "illegalAction");
  EXPECT_EQ(test::name_of(static_cast<Code>(99)), "");
}

}  // namespace vectors_test
}  // namespace park::bridge
