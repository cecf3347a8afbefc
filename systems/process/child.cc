#include "systems/process/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "park/core/error.h"
#include "park/files/read.h"

namespace park::process {
namespace {

constexpr std::chrono::milliseconds kLook{50};
constexpr std::size_t kTail = 2000;  // bytes

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

std::string read_all(const std::filesystem::path& file) {
  std::error_code none;  // no file, no text
  return files::read_file(file, none);
}

/// Between fork and exec: only what a signal handler may do.
[[noreturn]] void become(char* const* words, char* const* environment, int input, int log,
                         pid_t parent) {
  static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGKILL));
  if (getppid() != parent) _exit(1);
  // A group of its own: Ctrl-C is for park, which ends it.
  static_cast<void>(setpgid(0, 0));
  if (input >= 0) dup2(input, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execvpe(words[0], words, environment);
  _exit(127);
}

}  // namespace

Child::Child(const std::vector<std::string>& words, const std::vector<std::string>& environment,
             std::filesystem::path log, int input)
    : pid_(-1), log_(std::move(log)) {
  const auto argv = pointers(words), env = pointers(environment);
  const int fd = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t parent = getpid();
  if (fd >= 0) pid_ = fork();
  if (pid_ == 0) become(argv.data(), env.data(), input, fd, parent);
  const int reason = errno;
  if (fd >= 0) close(fd);
  if (pid_ < 0) throw Error(Errc::io, words.front() + ": " + std::strerror(reason));
}

Child::~Child() {
  if (status()) return;
  // With what it started. The group may not be there yet.
  if (kill(-pid_, SIGKILL) != 0) static_cast<void>(kill(pid_, SIGKILL));
  int ignored = 0;
  while (waitpid(pid_, &ignored, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Child::status() {
  int state = 0;
  if (!status_ && waitpid(pid_, &state, WNOHANG) == pid_)
    status_ = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return status_;
}

void Child::wait_for(std::string_view text, std::chrono::seconds limit,
                     const std::stop_token& stop) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (read_all(log_).find(text) == std::string::npos) {
    if (status() || stop.stop_requested() || std::chrono::steady_clock::now() > until)
      throw Error(Errc::unavailable, log_.stem().string() + ": did not say '" + std::string(text) +
                                         "'; the end of what it said:\n" + tail());
    std::this_thread::sleep_for(kLook);
  }
}

std::string Child::tail() const {
  const std::string all = read_all(log_);
  return all.size() <= kTail ? all : all.substr(all.size() - kTail);
}

}  // namespace park::process
