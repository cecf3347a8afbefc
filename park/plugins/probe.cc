// The child writes what it begins, then how it ended, into a pipe: lines that begin with a mark. The
// parent reads until the end or the deadline. What the child was about when its lines break off is
// in the message.
#include "park/plugins/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::plugins {
namespace {

using Steady = std::chrono::steady_clock;

constexpr char kBegins = '@', kFails = '!', kDone = '=';

/// One line in one write. What goes wrong shows as lines that break off.
void write_line(int to, char mark, std::string text) {
  std::ranges::replace(text, '\n', ';');
  text.resize(std::min<std::size_t>(text.size(), 2000));
  const std::string line = mark + text + '\n';
  static_cast<void>(!::write(to, line.data(), line.size()));
}

void be_quiet() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // The parent's handlers are not for this.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGPIPE})
    std::signal(signal, SIG_DFL);
}

[[noreturn]] void work_in_child(const std::function<void(const Begin&)>& work, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  be_quiet();
  try {
    work([&](const std::string& what) { write_line(to, kBegins, what); });
    write_line(to, kDone, "");
  } catch (const std::exception& e) {
    write_line(to, kFails, e.what());
  } catch (...) {
    write_line(to, kFails, "something was thrown that is no std::exception");
  }
  _exit(0);
}

/// The lines of a child, read until its end.
class Child {
 public:
  Child(pid_t pid, int from, Steady::time_point deadline)
      : pid_(pid), from_(from), deadline_(deadline) {}
  ~Child() {
    close(from_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait(0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Throws Error{bad_file}.
  void expect_done() {
    while (read_some())
      if (text_.ends_with('\n') && last_mark() != kBegins) break;
    const std::string_view line = last_line();
    if (!line.empty() && line.front() == kDone) return;
    if (!line.empty() && line.front() == kFails)
      throw Error(Errc::bad_file, printable(line.substr(1)));
    explain_end();
  }

 private:
  [[nodiscard]] bool late() const { return Steady::now() >= deadline_; }
  /// False at the end or the deadline.
  bool read_some() {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Steady::now()).count();
    if (left <= 0) return false;
    pollfd ready{from_, POLLIN, 0};
    const int n = poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1 << 30)));
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    std::array<char, 4096> block{};
    const ssize_t got = ::read(from_, block.data(), block.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    text_.append(block.data(), static_cast<std::size_t>(got));
    return true;
  }
  [[nodiscard]] std::string_view last_line() const {
    const std::string_view all = text_;
    if (!all.ends_with('\n')) return {};
    const std::size_t before = all.substr(0, all.size() - 1).rfind('\n');
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return all.substr(begin, all.size() - 1 - begin);
  }
  [[nodiscard]] char last_mark() const {
    const std::string_view line = last_line();
    return line.empty() ? kBegins : line.front();
  }
  /// The status of the child, which is then gone; 0 where nobody may know it.
  int wait(int options) {
    int status = 0;
    pid_t got = 0;
    do got = waitpid(pid_, &status, options);
    while (got < 0 && errno == EINTR);
    if (got != 0) pid_ = 0;
    return got > 0 ? status : 0;
  }
  /// It is late, or it closed the pipe without a last word: then it is gone, or about to be.
  [[noreturn]] void explain_end() {
    int status = 0;
    while (pid_ > 0 && !late()) {
      status = wait(WNOHANG);
      if (pid_ > 0) usleep(1000);
    }
    if (pid_ > 0) fail("took longer than allowed", "");
    if (WIFSIGNALED(status))
      fail("crashed", " (signal " + std::to_string(WTERMSIG(status)) + ", " +
                          strsignal(WTERMSIG(status)) + ')');
    fail("ended the process", " (exit code " + std::to_string(WEXITSTATUS(status)) + ')');
  }
  [[noreturn]] void fail(const std::string& what, const std::string& how) const {
    const std::string_view line = last_line();
    const std::string step = line.empty() ? "its start" : std::string(line.substr(1));
    throw Error(Errc::bad_file, what + " in " + printable(step) + how);
  }

  pid_t pid_;
  int from_;
  Steady::time_point deadline_;
  std::string text_;
};

}  // namespace

void probe(const std::function<void(const Begin&)>& work, std::chrono::milliseconds deadline) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(Errc::unavailable, "no pipe: " + std::system_category().message(errno));
  const auto until = Steady::now() + deadline;
  const pid_t pid = fork();
  if (pid == 0) work_in_child(work, ends[1]);
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw Error(Errc::unavailable, "no process: " + std::system_category().message(error));
  }
  Child(pid, ends[0], until).expect_done();
}

}  // namespace park::plugins
