#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "park/core/error.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {

/// Where there is one, a folder in memory: what is written is synced, which takes disks a while.
inline std::filesystem::path fast_folder() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
}

/// An empty folder of the running test, removed at the end.
class Scratch : public ::testing::Test {
 protected:
  Scratch()
      : folder_(fast_folder() / ("park_runs_" + std::to_string(getpid()) + "_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

/// The text of the park::Error that a call throws.
template <class Call>
std::string error_of(Errc code, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace park::test
