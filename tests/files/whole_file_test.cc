// Files that are written whole, synced and locked, and read whole. Each test has a folder of its own,
// and DiskCalls lists what was asked of the disk in which order.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "park/command/output.h"
#include "park/files/durable.h"
#include "park/files/new_file.h"
#include "park/files/read.h"
#include "tests/kit/disk_calls.h"
#include "tests/kit/scratch_folder.h"

namespace park::files {
namespace whole_file_test {

namespace fs = std::filesystem;
using test::DiskCalls;
using test::error_of;
using test::read_text;
using test::ScratchFolder;
using test::write_text;

std::size_t entries(const ScratchFolder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.file("")), {}));
}

unsigned mode_of(const std::string& path) {
  struct stat about {};
  EXPECT_EQ(stat(path.c_str(), &about), 0);
  return about.st_mode & 0777U;
}

TEST(NewFile, IsThereWholeOrNotAtAll) {
  const ScratchFolder folder("new-file");
  const std::string path = folder.file("a");
  write_text(path, "old");
  const std::string large(300'000, 'x');
  {
    NewFile file(path);
    file.append("begin ");
    file.append(large);
    file.append(" end");
    EXPECT_EQ(read_text(path), "old");
    EXPECT_FALSE(file.commit());
  }
  EXPECT_EQ(read_text(path), "begin " + large + " end");
  {
    NewFile file(path);
    file.append(large);
  }
  EXPECT_EQ(read_text(path).size(), large.size() + 10);
  EXPECT_EQ(entries(folder), 1U);
}

TEST(NewFile, SaysWhyItIsNotThere) {
  const ScratchFolder folder("new-file");
  EXPECT_EQ(try_write_file(folder.file("none/a"), "x"), std::errc::no_such_file_or_directory);
  fs::create_directory(folder.file("b"));
  EXPECT_EQ(try_write_file(folder.file("b"), "x"), std::errc::is_a_directory);
  EXPECT_EQ(error_of([&] { write_file(folder.file("none/a"), "x"); }),
            folder.file("none/a") + ": No such file or directory");
  EXPECT_EQ(entries(folder), 1U);
  EXPECT_EQ(try_write_file("/dev/full/a", "x"), std::errc::not_a_directory);
}

TEST(NewFile, HasItsModeAndFollowsNoLink) {
  const ScratchFolder folder("new-file");
  const std::string path = folder.file("secret"), other = folder.file("other");
  write_text(other, "other");
  fs::create_symlink(other, path + ".part");  // what somebody else prepared
  EXPECT_FALSE(try_write_file(path, "text", {.synced = true, .one_writer = true, .mode = 0600}));
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(read_text(path), "text");
  EXPECT_EQ(read_text(other), "other");
}

TEST(Durable, ReplacesWhatACrashHasLeft) {
  const ScratchFolder folder("durable");
  const std::string path = folder.file("a");
  write_text(path + ".part", "half of it");
  write_durable(path, "all of it");
  EXPECT_EQ(read_text(path), "all of it");
  EXPECT_EQ(entries(folder), 1U);
}

using DiskList = std::vector<std::string>;

TEST(Durable, IsOnTheDiskBeforeItHasItsNameAndThenItsNameIs) {
  const ScratchFolder folder("durable");
  const std::string path = folder.file("a"), parent = fs::path(path).parent_path();
  const DiskCalls calls;
  write_durable(path, "text");
  EXPECT_EQ(calls.list(), (DiskList{"sync " + path + ".part", "rename " + path + ".part " + path,
                                    "sync " + parent}));
}

TEST(Durable, AFolderIsOnTheDiskWithItsFilesBeforeItHasItsName) {
  const ScratchFolder folder("durable");
  const std::string path = folder.file("a"), parent = fs::path(path).parent_path();
  const DiskCalls calls;
  write_durable_folder(path, {{"b", "text"}});
  const std::string part = path + ".part", b = part + "/b";
  EXPECT_EQ(calls.list(),
            (DiskList{"sync " + b + ".part", "rename " + b + ".part " + b, "sync " + part,
                      "rename " + part + ' ' + path, "sync " + parent}));
}

TEST(Durable, WhatCommandsWriteIsOnTheDisk) {
  const ScratchFolder folder("durable");
  const std::string path = folder.file("a"), parent = fs::path(path).parent_path();
  const std::string part = path + ".part" + std::to_string(getpid());
  const DiskCalls calls;
  command::write_file(path, "text");
  EXPECT_EQ(calls.list(),
            (DiskList{"sync " + part, "rename " + part + ' ' + path, "sync " + parent}));
  EXPECT_EQ(read_text(path), "text");
}

TEST(FolderLock, NamesWhatTheOtherProcessDoes) {
  const ScratchFolder folder("lock");
  const std::string path = fs::path(folder.file("a")).parent_path();
  const auto lock = [&] { const FolderLock held(path, "writes into"); };
  {
    const FolderLock held(path, "trains in");
    EXPECT_EQ(error_of(lock), path + ": another process writes into it");
  }
  EXPECT_EQ(error_of(lock), "no error");
}

TEST(ReadFile, ReadsAllAndSaysWhyNot) {
  const ScratchFolder folder("read");
  const std::string path = folder.file("a");
  std::error_code error;
  for (const std::size_t size : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 300'000UL}) {
    const std::string text(size, 'y');
    write_text(path, text);
    EXPECT_EQ(read_file(path, error), text);
    EXPECT_FALSE(error);
    EXPECT_EQ(read_file(path, error, size), text);
    EXPECT_FALSE(error);
  }
  EXPECT_EQ(read_file(path, error, 299'999), "");
  EXPECT_EQ(error, std::errc::file_too_large);
  EXPECT_EQ(read_file(folder.file("none"), error), "");
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  EXPECT_EQ(read_file(folder.file(""), error), "");
  EXPECT_EQ(error, std::errc::is_a_directory);
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  const ScratchFolder folder("read");
  const std::string pipe = folder.file("pipe"), text(200'000, 'z');
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto through = [&](std::uint64_t most, std::error_code& error) {
    std::jthread writer([&] { write_text(pipe, text); });
    return read_file(pipe, error, most);
  };
  std::error_code error;
  EXPECT_EQ(through(text.size(), error), text);
  EXPECT_FALSE(error);
}

TEST(ReadWhole, NamesTheFileAndTheReason) {
  const ScratchFolder folder("read");
  const std::string path = folder.file("a");
  write_text(path, "12345");
  EXPECT_EQ(read_whole(path, 5), "12345");
  EXPECT_EQ(error_of([&] { (void)read_whole(path, 4); }), path + ": is larger than 4 bytes");
  EXPECT_EQ(error_of([&] { (void)read_whole(folder.file("b"), 4); }),
            folder.file("b") + ": No such file or directory");
  EXPECT_EQ(error_of([&] { (void)read_whole(folder.file("."), 4); }),
            folder.file(".") + ": is no file");
}

}  // namespace whole_file_test
}  // namespace park::files
