#include "systems/python_plugin/output_tail.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::python_plugin {
namespace {

constexpr std::size_t kKept = 4096;    // bytes of the output
constexpr std::size_t kLongest = 300;  // bytes of a line
constexpr int kLookForStop = 50;       // milliseconds

}  // namespace

OutputTail::OutputTail() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(Errc::io, std::string("no pipe for a process: ") + std::strerror(errno));
  read_end_ = ends[0], write_end_ = ends[1];
  thread_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
}

OutputTail::~OutputTail() {
  release_writer();
  thread_.request_stop();
  thread_.join();
  close(read_end_);
}

std::filesystem::path OutputTail::path() const {
  return "/proc/self/fd/" + std::to_string(write_end_);
}

void OutputTail::release_writer() {
  if (write_end_ >= 0) close(std::exchange(write_end_, -1));
}

void OutputTail::read_all(const std::stop_token& stop) {
  std::array<char, 4096> bytes{};
  while (!stop.stop_requested()) {
    pollfd waiting{.fd = read_end_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kLookForStop) <= 0) continue;
    const ssize_t n = read(read_end_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    if (n <= 0) {
      over_ = true;
      ended_.notify_all();
      return;
    }
    tail_.append(bytes.data(), static_cast<std::size_t>(n));
    if (tail_.size() > kKept) tail_.erase(0, tail_.size() - kKept);
  }
}

std::string OutputTail::last_line(std::chrono::milliseconds wait) const {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, wait, [this] { return over_; });
  const std::size_t end = tail_.find_last_not_of("\r\n \t");
  if (end == std::string::npos) return "";
  const std::size_t before = tail_.find_last_of('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return printable(tail_.substr(begin, std::min(end + 1 - begin, kLongest)));
}

}  // namespace park::python_plugin
