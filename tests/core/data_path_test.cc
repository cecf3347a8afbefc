#include "park/core/data_path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "park/core/error.h"

namespace park {
namespace data_path_test {

namespace fs = std::filesystem;

/// Sets PARK_DATA for a scope.
class Chosen {
 public:
  explicit Chosen(const char* path) {
    if (const char* old = std::getenv("PARK_DATA")) old_ = old;
    path == nullptr ? unsetenv("PARK_DATA") : setenv("PARK_DATA", path, 1);
  }
  ~Chosen() { old_.empty() ? unsetenv("PARK_DATA") : setenv("PARK_DATA", old_.c_str(), 1); }

 private:
  std::string old_;
};

TEST(DataPath, IsFoundFromTheLibraryWhateverTheWorkingDirectory) {
  const Chosen none(nullptr);
  const fs::path here = fs::current_path();
  const fs::path first = data_dir();
  EXPECT_TRUE(fs::equivalent(first, fs::path(PARK_SOURCE_DIR) / "data")) << first;
  fs::current_path("/");
  EXPECT_EQ(data_dir(), first);
  fs::current_path(here);
}

TEST(DataPath, TheVariableOverrides) {
  const fs::path folder = fs::path(testing::TempDir()) / "park_data_path_test";
  fs::create_directories(folder);
  const Chosen chosen(folder.c_str());
  EXPECT_EQ(data_dir(), folder);
  fs::remove(folder);
  try {
    static_cast<void>(data_dir());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::io);
    EXPECT_EQ(std::string(e.what()), "PARK_DATA = " + folder.string() + " is not a folder");
  }
}

}  // namespace data_path_test
}  // namespace park
