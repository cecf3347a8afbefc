#include "park/bench/outside_trainer.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/descriptor.h"
#include "park/files/read.h"
#include "park/runs/host.h"

namespace park::bench {
namespace {

constexpr int kNotStarted = 127;
constexpr double kPatienceS = 2;
constexpr std::chrono::milliseconds kChildLook{20};
constexpr std::uint64_t kMostLog = std::uint64_t{1} << 28;

/// What the child does; only calls that are safe after fork.
[[noreturn]] void become(char* const* words, int log, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotStarted);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) _exit(kNotStarted);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execvp(words[0], words);
  _exit(kNotStarted);
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

std::string last_line(const std::filesystem::path& log) {
  std::string text = files::read_whole(log, kMostLog);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return printable(text.substr(text.rfind('\n') + 1));
}

/// Waits for the end of a child, and hastens it where an end is asked for.
void wait_for(pid_t pid, const std::function<bool()>& stop, CommandEnd& end) {
  int status = 0;
  rusage used{};
  double asked_s = 0;
  while (wait4(pid, &status, WNOHANG, &used) == 0) {
    std::this_thread::sleep_for(kChildLook);
    const double now_s = runs::monotonic_s();
    if (!end.stopped && stop()) {
      end.stopped = true;
      asked_s = now_s;
      kill(-pid, SIGTERM);
    }
    if (end.stopped && now_s - asked_s > kPatienceS) kill(-pid, SIGKILL);
  }
  kill(-pid, SIGKILL);  // what it has left behind
  end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  end.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       const std::function<bool()>& stop) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::filesystem::path path = folder / "log.txt";
  const int log = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log < 0) throw Error(Errc::io, path.string() + ": " + files::last_error().message());
  const double begin_s = runs::monotonic_s();
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) become(argv.data(), log, parent);
  const std::error_code error = files::last_error();
  close(log);
  if (pid < 0) throw Error(Errc::io, words[0] + ": " + error.message());
  setpgid(pid, pid);  // whoever of the two is first
  CommandEnd end;
  wait_for(pid, stop, end);
  end.wall_s = runs::monotonic_s() - begin_s;
  end.last_line = last_line(path);
  if (!end.stopped && end.status == kNotStarted && end.last_line.empty())
    throw Error(Errc::io, words[0] + ": cannot be started; is it installed?");
  return end;
}

}  // namespace park::bench
