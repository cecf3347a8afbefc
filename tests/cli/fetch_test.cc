// `park data fetch`: sets of data that a user brings, compared with a list of sums.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/data/reference_sets.h"
#include "park/files/sha256.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace fetch_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string line(const std::string& text, const std::string& name) {
  return files::sha256_text(text) + ' ' + std::to_string(text.size()) + ' ' + name + '\n';
}

/// A list of two sets, and both as a user has them.
class Fetch : public testing::Test {
 protected:
  Fetch() {
    write(data_ / "reference_data.txt", "# of a test\nset links net/links\n" + line("one", "a") +
                                            line("two", "deep/b") + "set starts net/starts.txt\n" +
                                            line("7", "."));
    setenv("PARK_DATA", data_.c_str(), 1);
    if (const char* const chosen = std::getenv("PARK_REFERENCE_DATA")) reference_data_ = chosen;
    unsetenv("PARK_REFERENCE_DATA");
    write(given_ / "a", "one");
    write(given_ / "deep/b", "two");
    write(given_ / "starts.txt", "7");
  }
  ~Fetch() override {
    unsetenv("PARK_DATA");
    if (!reference_data_.empty()) setenv("PARK_REFERENCE_DATA", reference_data_.c_str(), 1);
  }

  Finished fetch(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"data", "fetch"});
    return run_park(arguments);
  }
  void expect_bad(const std::vector<std::string>& arguments, const std::string& lines) const {
    const Finished park = fetch(arguments);
    EXPECT_EQ(park.code, 2) << park.out;
    EXPECT_EQ(park.out, "");
    EXPECT_EQ(park.err, lines);
  }

  const fs::path data_ = scratch_path("data"), given_ = scratch_path("given"),
                 to_ = scratch_path("to");

 private:
  std::string reference_data_;  // of the other tests
};

TEST_F(Fetch, PutsAWholeSetInItsPlace) {
  const Finished park = fetch({"links", given_, "--to", to_, "--json"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json told = Json::parse(park.out);
  EXPECT_EQ(told.at("files"), 2);
  EXPECT_EQ(told.at("written"), 2);
  EXPECT_EQ(told.at("left_out"), 1);  // the other set
  EXPECT_EQ(read_text(to_ / "net/links/a"), "one");
  EXPECT_EQ(read_text(to_ / "net/links/deep/b"), "two");
  EXPECT_FALSE(fs::exists(to_ / "net/links/starts.txt"));
  EXPECT_EQ(Json::parse(fetch({"links", given_, "--to", to_, "--json"}).out).at("written"), 0);
  const Finished text = fetch({"links", given_, "--to", to_});
  EXPECT_TRUE(text.out.starts_with("links: 2 files as published, 0 written; the set is in "))
      << text.out;
  EXPECT_NE(text.out.find("left out: 1 other file, such as starts.txt\n"), std::string::npos);
}

TEST_F(Fetch, ASetOfOneFileIsGivenAsTheFileOrItsFolder) {
  for (const fs::path& given : {given_ / "starts.txt", given_}) {
    fs::remove_all(to_);
    const Finished park = fetch({"starts", given, "--to", to_});
    ASSERT_EQ(park.code, 0) << park.err;
    EXPECT_EQ(read_text(to_ / "net/starts.txt"), "7");
  }
}

TEST_F(Fetch, NamesEachMissingAndChangedFileAndWritesNothing) {
  fs::remove(given_ / "a");
  write(given_ / "deep/b", "twO");
  expect_bad({"links", given_, "--to", to_},
             "error: " + (given_ / "a").string() + ": is missing\nerror: " +
                 (given_ / "deep/b").string() + ": is not the published file: its SHA-256 is " +
                 files::sha256_text("twO") + " and must be " + files::sha256_text("two") + '\n');
  write(given_ / "a", "longer");
  write(given_ / "deep/b", "two");
  expect_bad({"links", given_, "--to", to_},
             "error: " + (given_ / "a").string() + ": must have 3 bytes\n");
  EXPECT_FALSE(fs::exists(to_));
}

TEST_F(Fetch, RepairsAChangedFileAndRefusesOthersInItsPlace) {
  ASSERT_EQ(fetch({"links", given_, "--to", to_}).code, 0);
  write(to_ / "net/links/a", "bad");
  const Finished park = fetch({"links", given_, "--to", to_, "--json"});
  ASSERT_EQ(park.code, 0) << park.err;
  EXPECT_EQ(Json::parse(park.out).at("written"), 1);
  EXPECT_EQ(read_text(to_ / "net/links/a"), "one");
  write(to_ / "net/links/c", "");
  expect_bad({"links", given_, "--to", to_},
             "error: " + (to_ / "net/links/c").string() + ": is not of the set; remove it\n");
}

TEST_F(Fetch, WithoutANameItListsWhatIsThere) {
  ASSERT_EQ(fetch({"links", given_, "--to", to_}).code, 0);
  fs::remove(to_ / "net/links/a");
  write(to_ / "net/links/deep/b", "twO");
  write(to_ / "net/links/c", "");
  setenv("PARK_REFERENCE_DATA", to_.c_str(), 1);
  const Json sets = Json::parse(fetch({"--json"}).out).at("sets");
  unsetenv("PARK_REFERENCE_DATA");
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].at("state"), "1 missing, 1 changed, 1 more");
  EXPECT_EQ(sets[0].at("bytes"), 6);
  EXPECT_EQ(sets[1].at("state"), "not there");
  EXPECT_NE(fetch({"--to", to_}).out.find("net/starts.txt"), std::string::npos);
}

TEST_F(Fetch, WhatIsWrongIsToldInOneLine) {
  expect_bad({"link", given_, "--to", to_}, "error: NAME: no set 'link'; it is links or starts\n");
  expect_bad({"links", "--to", to_},
             "error: PATH: is required: the folder or file that has the set\n");
  expect_bad({"links", given_ / "none", "--to", to_},
             "error: PATH: there is no " + (given_ / "none").string() + '\n');
  expect_bad({"links", given_}, "error: --to: is required where PARK_REFERENCE_DATA is not set\n");
}

TEST(ReferenceSets, ABadListIsRefusedWithItsLines) {
  const std::string sum(64, 'a');
  for (const auto& [text, wrong] : std::vector<std::pair<std::string, std::string>>{
           {sum + " 1 a\n", "reference_data.txt:1: must follow a line 'set NAME PATH'"},
           {"set a\n", "reference_data.txt:1: must be 'set NAME PATH'"},
           {"set a b\nabc 1 a\n", "reference_data.txt:2: must be 'SHA-256 BYTES NAME'"},
           {"set a b\n" + sum + " x a\n", "reference_data.txt:2: must be 'SHA-256 BYTES NAME'"},
           {"set a b\n" + sum + " 1 ../a\n",
            "reference_data.txt:2: must name a path inside the folder"},
           {"set a /b\n", "reference_data.txt:1: must name a path inside the folder"}}) {
    try {
      static_cast<void>(parse_reference_sets(text));
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), wrong);
    }
  }
}

TEST(ReferenceSets, TheBundledListIsGood) {
  std::size_t files = 0;
  for (const ReferenceSet& set : reference_sets()) {
    EXPECT_FALSE(set.files.empty()) << set.name;
    files += set.files.size();
  }
  EXPECT_GT(files, 1000u);
}

}  // namespace fetch_test
}  // namespace park::cli
