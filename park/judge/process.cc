// A candidate's process: a fork of this one that keeps a socket and nothing else. What it becomes
// differs: a loop over an expression, a static program, an interpreter. The runner confines itself
// and says so before any code of the candidate runs; that message is the last one that is trusted.
#include "park/judge/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/judge/contract.h"

namespace park::judge {
namespace {

constexpr std::chrono::seconds kStart{60};  // of the runner, before any code of the candidate
constexpr int kAbove = 64;  // descriptors that are moved first, so that none is overwritten

/// In the child: the descriptors of process.h, and no others.
void place_descriptors(int socket, int program) noexcept {
  const int nothing = fcntl(open("/dev/null", O_RDWR), F_DUPFD, kAbove);
  const int moved = fcntl(socket, F_DUPFD, kAbove);
  const int code = program < 0 ? -1 : fcntl(program, F_DUPFD, kAbove);
  if (nothing < 0 || moved < 0 || (program >= 0 && code < 0)) _exit(1);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  dup2(moved, kSocket);
  if (code >= 0)
    dup3(code, kProgram, O_CLOEXEC);
  else
    close(kProgram);
  syscall(SYS_close_range, static_cast<unsigned>(kProgram + 1), ~0u, 0u);
}

void write_frame(Frame kind, std::string_view body) noexcept {
  const std::uint32_t header[2]{static_cast<std::uint32_t>(kind),
                                static_cast<std::uint32_t>(body.size())};
  if (write(kSocket, header, sizeof header) != static_cast<ssize_t>(sizeof header) ||
      write(kSocket, body.data(), body.size()) != static_cast<ssize_t>(body.size()))
    _exit(1);
}

}  // namespace

void confine_here(const process::SyscallRules& rules, const Limits& limits,
                  bool of_memory) noexcept {
  int error = set_limits(limits, of_memory);
  if (error == 0) error = process::install(rules);
  if (error == 0) return write_frame(Frame::confined, "");
  write_frame(Frame::no_rules, std::strerror(error));
  _exit(1);
}

Process::Process(const Become& become, int program, const std::string& hello,
                 const Limits& limits) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(Errc::io, std::string("a candidate's process: ") + std::strerror(errno));
  channel_ = std::make_unique<Channel>(ends[0]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
    place_descriptors(ends[1], program);
    become();
    _exit(1);
  }
  const int error = errno;
  close(ends[1]);
  if (pid_ < 0)
    throw Error(Errc::io, std::string("a candidate's process: ") + std::strerror(error));
  try {
    load(hello, std::chrono::duration<double>(limits.answer_s));
  } catch (...) {
    static_cast<void>(end());
    throw;
  }
}

Process::~Process() { static_cast<void>(end()); }

void Process::load(const std::string& hello, std::chrono::duration<double> limit) {
  auto until = Channel::Clock::now() + kStart;
  Frame kind{};
  std::string body;
  const bool greeted = hello.empty() || channel_->send(Frame::hello, hello, until) == Outcome::done;
  if (!greeted || channel_->receive(kind, body, kMostComplaint, until) != Outcome::done)
    throw Error(Errc::unavailable, "a candidate's process cannot be started: it " + end());
  if (kind != Frame::confined)
    throw Error(Errc::unavailable,
                "this machine cannot confine a candidate (" + printable(body) + ")");
  until = Channel::Clock::now() + std::chrono::duration_cast<Channel::Clock::duration>(limit);
  switch (channel_->receive(kind, body, kMostComplaint, until)) {
    case Outcome::done:
      if (kind != Frame::ready)
        refused_ = kind == Frame::refused ? printable(body) : "it speaks for itself";
      return;
    case Outcome::late:
      refused_ = "it is not loaded in time";
      return;
    default:
      refused_ = "its process " + end() + " while it was loaded";
  }
}

Process::Outcome Process::ask(std::string_view questions, std::size_t most, std::string& answers,
                              Channel::Clock::time_point until) {
  if (const Outcome o = channel_->send(Frame::questions, questions, until); o != Outcome::done)
    return o;
  Frame kind{};
  const Outcome o = channel_->receive(kind, answers, most, until);
  return o == Outcome::done && kind != Frame::answers ? Outcome::wrong : o;
}

std::string Process::end() {
  if (pid_ < 0) return "has ended";
  int status = 0;
  // One that closed its end is about to end by itself.
  constexpr int kLooks = 50, kPauseUs = 1000;
  bool ended = false;
  Frame kind{};
  std::string ignored;
  if (channel_->receive(kind, ignored, 0, Channel::Clock::now()) == Outcome::closed)
    for (int i = 0; i < kLooks && !(ended = waitpid(pid_, &status, WNOHANG) == pid_); ++i)
      usleep(kPauseUs);
  if (!ended) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  if (!ended) return "was ended";
  return WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                   strsignal(WTERMSIG(status)) + ')'
                             : "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace park::judge
