// The trainer: loads LibTorch once, then forks a process for each task that it is ordered to start.
// Orders come on its standard input, a socket of whole messages. It waits for orders and for ends
// of its tasks at once, by a descriptor for SIGCHLD. Tasks die with it, and it dies with the
// supervisor (systems/process/child.h). It computes nothing itself, so a fork copies one thread.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "systems/dl_cluster_live/messages.h"
#include "systems/dl_cluster_live/trainer/worker.h"

namespace park::dl_cluster_live {
namespace {

constexpr int kCannotFork = 71;

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

class TrainerMain {
 public:
  TrainerMain() {
    const sigset_t children = only(SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    ends_ = signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
  }

  /// Until the supervisor has gone.
  int run() {
    tell({.what = ReportWhat::ready, .status = kMessageVersion, .time_s = monotonic_s()});
    std::array<pollfd, 2> all{{{kSocket, POLLIN, 0}, {ends_, POLLIN, 0}}};
    while (true) {
      if (poll(all.data(), all.size(), -1) < 0 && errno != EINTR) return 1;
      if (all[1].revents != 0) reap();
      if (all[0].revents == 0) continue;
      Order order;
      const ssize_t n = recv(kSocket, &order, sizeof order, 0);
      if (n == 0 || (n < 0 && errno != EINTR)) break;
      if (n == static_cast<ssize_t>(sizeof order)) obey(order);
    }
    for (const Process& one : processes_) kill(one.pid, SIGKILL);
    return 0;
  }

 private:
  struct Process {
    pid_t pid;
    std::int32_t run, rank;
  };

  void obey(const Order& order) {
    if (order.what == OrderWhat::start) {
      for (std::int32_t rank = 0; rank < order.workers + order.servers; ++rank) start(order, rank);
      return;
    }
    for (const Process& one : processes_)
      if (one.run == order.run) kill(one.pid, order.what == OrderWhat::stop ? SIGTERM : SIGKILL);
  }

  void start(const Order& order, std::int32_t rank) {
    // Until the child has a handler, a request to stop it waits.
    const sigset_t term = only(SIGTERM);
    sigprocmask(SIG_BLOCK, &term, nullptr);
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) become(order, rank, self);
    sigprocmask(SIG_UNBLOCK, &term, nullptr);
    if (pid > 0)
      processes_.push_back({pid, order.run, rank});
    else
      told_end(order.run, rank, kCannotFork);
  }

  [[noreturn]] void become(const Order& order, std::int32_t rank, pid_t parent) const {
    static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGKILL));
    if (getppid() != parent) _exit(1);
    // What ps and top show: park-RUN.RANK.
    const std::string name = "park-" + std::to_string(order.run) + "." + std::to_string(rank);
    static_cast<void>(prctl(PR_SET_NAME, name.c_str()));
    close(ends_);
    stop_on_term();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    _exit(work(order, rank));
  }

  void reap() {
    signalfd_siginfo ignored{};
    while (read(ends_, &ignored, sizeof ignored) > 0) {
    }
    int state = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &state, WNOHANG)) > 0;) {
      const auto at = std::find_if(processes_.begin(), processes_.end(),
                                   [pid](const Process& one) { return one.pid == pid; });
      if (at == processes_.end()) continue;
      told_end(at->run, at->rank, WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state));
      processes_.erase(at);
    }
  }

  static void told_end(std::int32_t run, std::int32_t rank, int status) {
    tell({.what = ReportWhat::ended,
          .run = run,
          .rank = rank,
          .status = status,
          .time_s = monotonic_s()});
  }

  int ends_ = -1;
  std::vector<Process> processes_;
};

}  // namespace
}  // namespace park::dl_cluster_live

int main() {
  static_cast<void>(prctl(PR_SET_NAME, "park-trainer"));
  return park::dl_cluster_live::TrainerMain().run();
}
