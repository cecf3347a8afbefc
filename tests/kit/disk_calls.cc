#include "tests/kit/disk_calls.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>

namespace park::test {
namespace {

std::mutex disk_calls_mutex;
bool disk_calls_wanted = false;
std::vector<std::string> disk_calls;

void note_disk_call(const std::string& call) {
  const std::lock_guard lock(disk_calls_mutex);
  if (disk_calls_wanted) disk_calls.push_back(call);
}

std::string path_of_file(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), path.data(), path.size());
  return size < 0 ? "?" : std::string(path.data(), static_cast<std::size_t>(size));
}

}  // namespace

DiskCalls::DiskCalls() {
  const std::lock_guard lock(disk_calls_mutex);
  disk_calls.clear();
  disk_calls_wanted = true;
}

DiskCalls::~DiskCalls() {
  const std::lock_guard lock(disk_calls_mutex);
  disk_calls_wanted = false;
}

std::vector<std::string> DiskCalls::list() const {
  const std::lock_guard lock(disk_calls_mutex);
  return disk_calls;
}

}  // namespace park::test

// Libraries take these of the program instead of the C library's.
extern "C" int fsync(int file) {
  park::test::note_disk_call("sync " + park::test::path_of_file(file));
  return static_cast<int>(syscall(SYS_fsync, file));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  park::test::note_disk_call(std::string("rename ") + from + ' ' + to);
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
