// Where plug-ins are looked for: options, PARK_PLUGIN_PATH, the folder of the user.
#include "park/plugins/places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/kit/scratch_folder.h"

namespace park::plugins {
namespace places_test {

namespace fs = std::filesystem;

/// A variable of the environment, as it was again at the end.
class Variable {
 public:
  Variable(const char* name, const std::string& text) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, text.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  void set(const std::string& text) { setenv(name_, text.c_str(), 1); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class PlacesTest : public testing::Test {
 protected:
  std::string put(const std::string& name) {
    const fs::path path = folder_.file(name);
    fs::create_directories(path.parent_path());
    test::write_text(path.string(), "library");
    return path.string();
  }
  static std::vector<std::string> files(const std::vector<Place>& places) {
    std::vector<std::string> all;
    for (const Place& place : places) all.push_back(place.file.string());
    return all;
  }

  test::ScratchFolder folder_{"places"};
  Variable path_{kPathVariable, ""};
  Variable data_{"XDG_DATA_HOME", folder_.file("data")};
};

TEST_F(PlacesTest, OptionsComeFirstThenTheVariableThenTheFolderOfTheUser) {
  const std::string option = put("own/mine.so"), one = put("site/a.so"), two = put("site/b.so"),
                    single = put("other/plugin"), user = put("data/park/plugins/u.so");
  path_.set(folder_.file("site") + ':' + single);
  const std::vector<Place> places = find_places({option, two});
  EXPECT_EQ(files(places), (std::vector{option, two, one, single, user}));
  EXPECT_EQ(places[1].from, Place::From::option);
  EXPECT_FALSE(places[1].found);
  EXPECT_EQ(places[2].from, Place::From::variable);
  EXPECT_TRUE(places[2].found);
  EXPECT_FALSE(places[3].found);
  EXPECT_EQ(places[4].from, Place::From::folder);
}

TEST_F(PlacesTest, AFolderCountsWithItsOwnLibraries) {
  const std::string library = put("site/a.so");
  put("site/a.txt");
  put("site/.hidden.so");
  put("site/deeper/b.so");
  fs::create_symlink(library, folder_.file("site/z.so"));
  path_.set(folder_.file("site"));
  EXPECT_EQ(files(find_places({})), std::vector{library});
}

TEST_F(PlacesTest, NothingComesFromTheCurrentFolder) {
  const fs::path before = fs::current_path();
  put("here/a.so");
  fs::current_path(folder_.file("here"));
  const std::string front = std::string(kPathVariable) + ": ";
  const auto refusal = [&](const std::string& text) {
    path_.set(text);
    return test::error_of([] { static_cast<void>(find_places({})); });
  };
  EXPECT_TRUE(find_places({}).empty());
  const std::string absolute = folder_.file("here"), missing = folder_.file("missing");
  const std::string empty =
      front + "has an empty element; allowed are absolute paths, separated by ':'";
  EXPECT_EQ(refusal(absolute + ':'), empty);
  EXPECT_EQ(refusal(':' + absolute), empty);
  EXPECT_EQ(refusal("."), front + ". is relative; allowed are absolute paths");
  EXPECT_EQ(refusal("here:" + missing), front + "here is relative; allowed are absolute paths\n" +
                                            front + missing + ": there is no such folder or file");
  path_.set("");
  EXPECT_EQ(files(find_places({"a.so"})), std::vector{(fs::current_path() / "a.so").string()});
  fs::current_path(before);
}

TEST_F(PlacesTest, WhatEverybodyMayWriteIsNotLoaded) {
  const std::string file = put("site/a.so"), other = put("open/b.so");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  fs::permissions(folder_.file("open"), fs::perms::others_write, fs::perm_options::add);
  path_.set(folder_.file("site") + ':' + folder_.file("open"));
  const std::vector<Place> places = find_places({});
  ASSERT_EQ(files(places), (std::vector{file, other}));
  EXPECT_EQ(places[0].problem, "every user may write it");
  EXPECT_EQ(places[1].problem, "every user may write into its folder");
  EXPECT_EQ(find_places({file}).front().problem, "");  // an option has named it
}

TEST_F(PlacesTest, TheFolderOfTheUserFollowsTheDesktopStandard) {
  EXPECT_EQ(user_folder(), fs::path(folder_.file("data")) / "park/plugins");
  const Variable home("HOME", folder_.file("home"));
  data_.set("relative");  // which the standard says to ignore
  EXPECT_EQ(user_folder(), fs::path(folder_.file("home")) / ".local/share/park/plugins");
  const Variable nowhere("HOME", "");
  EXPECT_EQ(user_folder(), fs::path());
}

TEST(PythonClass, IsADottedModuleAndAName) {
  for (const char* text : {"module:Class", "my.module_2:Env", "m:Outer.Inner"})
    EXPECT_TRUE(is_python_class(text)) << text;
  for (const char* text :
       {"", ":", "a:", ":B", "a.so", "./a:B", "a/b:C", "1a:B", "a:B:C", "a..b:C", "a.:B", "C:\\a"})
    EXPECT_FALSE(is_python_class(text)) << text;
}

}  // namespace places_test
}  // namespace park::plugins
