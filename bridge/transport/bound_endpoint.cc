#include "bridge/transport/bound_endpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bridge/codec/failure.h"
#include "bridge/transport/endpoint.h"

namespace park::bridge {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 107;  // of a Unix socket

/// Makes a folder that only its owner can enter, or checks that it is one of this user.
void close_to_others(const fs::path& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) == 0) return;
  const std::string name = "endpoint: the folder " + folder.string();
  if (errno != EEXIST)
    throw Failed(Code::INVALID_CONFIG, name + " cannot be made: " + std::strerror(errno));
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    throw Failed(Code::INVALID_CONFIG, name + " is none");
  const bool own = info.st_uid == geteuid();
  if (!own || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw Failed(Code::NOT_ALLOWED,
                 name + (own ? " is open to other users" : " belongs to another user") +
                     "; choose one of your own of mode 0700, or one that is not there yet");
}

}  // namespace

BoundEndpoint::BoundEndpoint(std::string text, bool encrypted) : text_(std::move(text)) {
  const Endpoint endpoint = read_endpoint(text_, EndpointUse::bind);
  if (!endpoint.path.empty())
    guard(endpoint.path);
  else if (endpoint.host == "localhost")
    text_ = "tcp://127.0.0.1:" + endpoint.port;  // ZeroMQ asks nobody
  else if (!encrypted && !is_local(endpoint))
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
  lock_ = open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (lock_ < 0)
    throw Failed(Code::INVALID_CONFIG,
                 "endpoint: " + lock + " cannot be opened: " + std::strerror(errno));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw Failed(Code::NOT_ALLOWED, "endpoint: another server is at " + path);
  }
  unlink(path.c_str());  // left by a server that was killed
}

BoundEndpoint::~BoundEndpoint() {
  if (lock_ >= 0) close(lock_);
}

}  // namespace park::bridge
