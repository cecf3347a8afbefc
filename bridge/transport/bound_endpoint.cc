#include "bridge/transport/bound_endpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "bridge/codec/failure.h"

namespace park::bridge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIpc = "ipc://", kTcp = "tcp://";
constexpr std::size_t kLongestPath = 107;  // of a Unix socket

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

/// Makes a folder that only its owner can enter, or checks that it is one.
void close_to_others(const fs::path& folder) {
  std::error_code failed;
  if (!fs::exists(folder, failed)) {
    if (mkdir(folder.c_str(), S_IRWXU) != 0)
      throw Failed(Code::INVALID_CONFIG, "endpoint: the folder " + folder.string() +
                                             " cannot be made: " + std::strerror(errno));
    return;
  }
  struct stat info {};
  const bool known = stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (!known || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw Failed(Code::NOT_ALLOWED, "endpoint: " + folder.string() +
                                        " is open to other users; choose a folder of mode 0700, or "
                                        "one that is not there yet");
}

}  // namespace

BoundEndpoint::BoundEndpoint(std::string text, bool encrypted) : text_(std::move(text)) {
  const std::string_view all = text_;
  if (all.starts_with(kIpc) && all.size() > kIpc.size()) {
    guard(text_.substr(kIpc.size()));
    return;
  }
  const std::size_t colon = all.rfind(':');
  if (!all.starts_with(kTcp) || colon < kTcp.size() || colon + 1 == all.size())
    throw Failed(Code::INVALID_CONFIG,
                 "endpoint: \"" + text_ + "\" is none; allowed are ipc://PATH and tcp://HOST:PORT");
  if (!encrypted && !is_loopback(all.substr(kTcp.size(), colon - kTcp.size())))
    throw Failed(Code::NOT_ALLOWED,
                 "endpoint: " + text_ +
                     " can be reached from other machines; allowed are ipc://PATH and "
                     "tcp://127.0.0.1:PORT, and any tcp://HOST:PORT with --key and --allow");
}

void BoundEndpoint::guard(const std::string& path) {
  if (path.size() > kLongestPath)
    throw Failed(Code::INVALID_CONFIG, "endpoint: the path has " + std::to_string(path.size()) +
                                           " bytes, at most 107 are allowed");
  close_to_others(fs::absolute(path).parent_path());
  const std::string lock = path + ".lock";
  lock_ = open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (lock_ >= 0) close(lock_);
    throw Failed(Code::NOT_ALLOWED, "endpoint: another server is at " + path);
  }
  unlink(path.c_str());  // left by a server that was killed
}

BoundEndpoint::~BoundEndpoint() {
  if (lock_ >= 0) close(lock_);
}

}  // namespace park::bridge
