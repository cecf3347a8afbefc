#include "park/exchange/limited_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "park/core/error.h"
#include "park/files/descriptor.h"

namespace park::exchange {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{64} << 10;
constexpr int kNotStarted = 127;

std::vector<char*> words_for_exec(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// Between fork and exec: only what a signal handler may do.
[[noreturn]] void become_limited(char* const* words, char* const* environment, int output,
                                 pid_t parent, std::uint64_t most_file_bytes) {
  static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGKILL));
  if (getppid() != parent) _exit(kNotStarted);
  static_cast<void>(setsid());
  const rlimit limit{.rlim_cur = most_file_bytes, .rlim_max = most_file_bytes};
  const int nothing = open("/dev/null", O_RDONLY);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || nothing < 0) _exit(kNotStarted);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvpe(words[0], words, environment);
  _exit(kNotStarted);
}

/// Reads until the other end is closed; false where the deadline comes first.
bool read_until(int pipe, Clock::time_point deadline, std::string& output) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd one{.fd = pipe, .events = POLLIN, .revents = 0};
    const int ready = poll(&one, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready <= 0) continue;  // the deadline is looked at again
    char piece[4096];
    const ssize_t n = read(pipe, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    output.append(piece, std::min(static_cast<std::size_t>(n), kMostOutput - output.size()));
  }
}

/// Waits for the end; false where the deadline comes first.
bool wait_until(pid_t pid, Clock::time_point deadline, int& status) {
  constexpr std::chrono::milliseconds kLook{2};
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

}  // namespace

ChildEnd run_limited(const std::vector<std::string>& words,
                     const std::vector<std::string>& environment, const ChildLimits& limits) {
  const auto argv = words_for_exec(words), env = words_for_exec(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(Errc::io, words[0] + ": " + files::last_error().message());
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) become_limited(argv.data(), env.data(), ends[1], parent, limits.most_file_bytes);
  const std::error_code error = files::last_error();
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw Error(Errc::io, words[0] + ": " + error.message());
  }
  ChildEnd end;
  int status = 0;
  end.late = !read_until(ends[0], limits.deadline, end.output) ||
             !wait_until(pid, limits.deadline, status);
  close(ends[0]);
  if (end.late) kill(pid, SIGKILL);  // it may have no session yet
  kill(-pid, SIGKILL);               // and what it has started
  while (end.late && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (!end.late && end.status == kNotStarted && end.output.empty())
    throw Error(Errc::io, words[0] + ": cannot be started; is it installed?");
  return end;
}

}  // namespace park::exchange
