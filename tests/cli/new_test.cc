// `park new`: what it writes, and what it refuses before anything is written.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace new_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// All files below a folder, by their path in it.
std::set<std::string> files_below(const std::string& folder) {
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) all.insert(fs::relative(entry.path(), folder).string());
  return all;
}

/// Exit code 2, one line that begins so, and nothing beside the folder that was asked for.
void expect_refused(const std::vector<std::string>& arguments, const std::string& begin) {
  const Finished park = run_park(arguments);
  SCOPED_TRACE(testing::PrintToString(arguments) + '\n' + park.err);
  EXPECT_EQ(park.code, 2);
  EXPECT_EQ(park.out, "");
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 1);
  EXPECT_TRUE(park.err.starts_with("error: " + begin));
}

/// What every project must have, whatever its kind.
void expect_whole(const std::string& folder, const std::string& name, const std::string& token) {
  const std::set<std::string> files = files_below(folder);
  for (const std::string& file :
       {std::string("README.md"), std::string(".gitignore"),
        std::string(".github/workflows/ci.yml"), "golden/" + name + ".txt", "docs/" + name + ".md"})
    EXPECT_TRUE(files.contains(file)) << file;
  for (const std::string& file : files) {
    EXPECT_EQ(file.find(token), std::string::npos) << file;
    EXPECT_EQ(read_text((fs::path(folder) / file).string()).find(token), std::string::npos) << file;
  }
  EXPECT_NE(read_text(folder + "/README.md").find(name), std::string::npos);
}

TEST(New, WritesWholeProjectsUnderTheirName) {
  for (const std::string kind : {"env", "policy"})
    for (const bool python : {false, true}) {
      const std::string folder = scratch_path("queue9");
      std::vector<std::string> arguments{"new", kind, "queue9", "--out", folder, "--json"};
      if (python) arguments.emplace_back("--python");
      const Finished park = run_park(arguments);
      SCOPED_TRACE(kind + (python ? " --python" : "") + park.err);
      ASSERT_EQ(park.code, 0);
      expect_whole(folder, "queue9", "new" + kind);
      const Json told = Json::parse(park.out);
      EXPECT_EQ(told.at("out"), folder);
      EXPECT_EQ(told.at("files").get<std::set<std::string>>(), files_below(folder));
      EXPECT_TRUE(fs::exists(folder + (python ? "/pyproject.toml" : "/CMakeLists.txt")));
      fs::remove_all(folder);
    }
}

TEST(New, TakesAFolderThatIsEmptyAndLeavesNoOther) {
  const std::string above = scratch_path("above");
  fs::create_directories(above + "/empty");
  const Finished park = run_park({"new", "env", "queue9", "--out", above + "/empty/"});
  EXPECT_EQ(park.code, 0) << park.err;
  EXPECT_NE(park.out.find("README.md has the five commands"), std::string::npos) << park.out;
  EXPECT_TRUE(fs::exists(above + "/empty/CMakeLists.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(above), {}), 1);
  fs::remove_all(above);
}

TEST(New, RefusesNamesThatWouldNotBuild) {
  const std::string folder = scratch_path("refused");
  const auto refused = [&](const std::string& name, const std::string& why) {
    expect_refused({"new", "env", name, "--out", folder}, "NAME: '" + name + "' " + why);
  };
  refused("9queue", "does not begin with a lower-case letter");
  refused("Queue", "does not begin with a lower-case letter");
  refused("my-queue", "has other characters than lower-case letters, digits and _");
  refused(std::string(41, 'q'), "has more than 40 characters");
  refused("switch", "is a word of C++");
  refused("lambda", "is a word of Python");
  refused("install", "is a target of CMake");
  refused("load_balance", "is an environment of this park");
  expect_refused({"new", "policy", "least_work", "--out", folder},
                 "NAME: 'least_work' asks for the policy least_work, which this park has");
  EXPECT_FALSE(fs::exists(folder));
}

TEST(New, RefusesFoldersThatHoldSomethingElse) {
  const std::string folder = scratch_path("taken");
  const auto refused = [](const std::string& out, const std::string& why) {
    expect_refused({"new", "env", "queue9", "--out", out}, "--out: " + out + ": " + why);
  };
  refused(folder + "/below", "there is no folder " + folder);
  std::ofstream(folder) << "a file";
  refused(folder, "exists and is no folder");
  fs::remove(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/mine.txt") << "mine";
  refused(folder, "exists and is not empty");
  EXPECT_EQ(files_below(folder), std::set<std::string>{"mine.txt"});
  fs::remove_all(folder);
  refused(fs::current_path().string(), "is the current folder");
}

TEST(New, HelpShowsBothKinds) {
  const Finished help = run_park({"new", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* text : {"env", "policy", "--plugin FILE", "example:\n  park new env my_env"})
    EXPECT_NE(help.out.find(text), std::string::npos) << help.out;
  expect_refused({"new"}, "park new: needs a command: env or policy");
}

}  // namespace new_test
}  // namespace park::cli
