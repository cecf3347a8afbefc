#include "park/files/stamp_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "park/core/error.h"
#include "park/files/new_file.h"
#include "park/files/read.h"
#include "tests/kit/scratch_folder.h"

namespace park::files {
namespace stamp_cache_test {

using Cache = StampCache<std::string, std::string>;

struct Reader {
  Cache cache;
  int reads = 0;

  std::shared_ptr<const std::string> get(const std::string& path) {
    std::error_code error;
    const FileStamp stamp = stamp_of(path, error);
    EXPECT_FALSE(error);
    return cache.get(path, {stamp}, [&] {
      ++reads;
      return std::make_shared<const std::string>(read_whole(path, 100));
    });
  }
};

TEST(StampCache, SharesWhatIsInUse) {
  const test::ScratchFolder folder("cache");
  const std::string a = folder.file("a"), b = folder.file("b");
  write_file(a, "1");
  write_file(b, "2");
  Reader reader;
  const auto first = reader.get(a);
  EXPECT_EQ(reader.get(a), first);
  EXPECT_EQ(*reader.get(b), "2");
  EXPECT_EQ(reader.reads, 2);
}

TEST(StampCache, HoldsNothingAlive) {
  const test::ScratchFolder folder("cache");
  write_file(folder.file("a"), "1");
  Reader reader;
  const std::weak_ptr<const std::string> gone = reader.get(folder.file("a"));
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(*reader.get(folder.file("a")), "1");
  EXPECT_EQ(reader.reads, 2);
}

TEST(StampCache, ReadsAgainWhatWasReplacedWithTheSameSizeAndTime) {
  const test::ScratchFolder folder("cache");
  const std::string path = folder.file("a");
  write_file(path, "1");
  const auto written = std::filesystem::last_write_time(path);
  Reader reader;
  const auto first = reader.get(path);
  write_file(path, "2");
  std::filesystem::last_write_time(path, written);
  const auto second = reader.get(path);
  EXPECT_EQ(*first, "1");
  EXPECT_EQ(*second, "2");
  EXPECT_EQ(reader.get(path), second);
}

TEST(StampCache, KeepsNothingOfAReadThatFails) {
  const test::ScratchFolder folder("cache");
  const std::string path = folder.file("a");
  write_file(path, std::string(101, 'x'));
  Reader reader;
  EXPECT_THROW(static_cast<void>(reader.get(path)), Error);
  write_file(path, "1");
  EXPECT_EQ(*reader.get(path), "1");
}

TEST(StampCache, ReadsOnceForManyThreads) {
  const test::ScratchFolder folder("cache");
  write_file(folder.file("a"), "1");
  Reader reader;
  std::vector<std::shared_ptr<const std::string>> all(8);
  {
    std::vector<std::jthread> threads;
    for (auto& one : all) threads.emplace_back([&] { one = reader.get(folder.file("a")); });
  }
  EXPECT_EQ(reader.reads, 1);
  for (const auto& one : all) EXPECT_EQ(one, all[0]);
}

TEST(FileStamp, RefusesWhatIsNoRegularFile) {
  const test::ScratchFolder folder("stamp");
  std::error_code error;
  EXPECT_EQ(stamp_of(folder.file("none"), error), FileStamp{});
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  EXPECT_EQ(stamp_of(folder.file(""), error), FileStamp{});
  EXPECT_EQ(error, std::errc::is_a_directory);
}

}  // namespace stamp_cache_test
}  // namespace park::files
