// The rights of a candidate's process: a list of calls is allowed, and two calls with certain
// arguments. Unlike the sandbox of a server's sessions, a candidate opens no file at all: what it is
// made of is in its memory before the rules hold.
#include "park/judge/confine.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "park/core/error.h"

namespace park::judge {
namespace {

/// Calls that are allowed whatever their arguments are.
constexpr int kAllowed[] = {
    // memory
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    // the socket, and the null device as its output
    SYS_read,
    SYS_readv,
    SYS_write,
    SYS_writev,
    SYS_recvfrom,
    SYS_sendto,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_ppoll,
    // its one thread, and time
    SYS_futex,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_exit,
    SYS_exit_group,
    SYS_getpid,
    SYS_gettid,
    SYS_getrandom,
    // its own signals
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_arch_prctl,
    SYS_poll,
    SYS_time,
#endif
};

}  // namespace

process::SyscallRules confining_rules(int program) {
  process::SyscallFilter filter;
  for (const int call : kAllowed) filter.allow(call);
  // The descriptor closes with the exec, and nothing else can be opened under its number.
  if (program >= 0) filter.allow_values(SYS_execveat, 0, {static_cast<std::uint32_t>(program)});
  filter.allow_null(SYS_prlimit64, 2);  // a program that starts asks for its limits; it sets none
  return filter.rules();
}

int set_limits(const Limits& limits, bool of_memory) noexcept {
  const auto set = [](__rlimit_resource_t what, std::uint64_t most) {
    const rlimit limit{most, most};
    return setrlimit(what, &limit) == 0 ? 0 : errno;
  };
  // A process that computes on after its last message is killed; this ends one that nobody kills.
  const auto seconds = static_cast<std::uint64_t>(std::ceil(limits.time_s + 2 * limits.answer_s));
  int error = set(RLIMIT_CORE, 0);
  if (error == 0) error = set(RLIMIT_CPU, seconds + 1);
  if (error == 0 && of_memory) error = set(RLIMIT_AS, limits.memory_bytes);
  return error;
}

void check_confinement() {
  const process::SyscallRules rules = confining_rules(-1);
  const pid_t child = fork();
  if (child == 0) {
    const int error = process::install(rules);
    // The rules hold if a call that they do not name fails as they say.
    if (error == 0 && (syscall(SYS_getppid) != -1 || errno != EPERM)) _exit(ENOSYS);
    _exit(error);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int error = child < 0 ? errno : WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
  if (error != 0)
    throw Error(Errc::unavailable,
                std::string("this machine cannot confine a candidate (seccomp: ") +
                    std::strerror(error) + "), so nothing is judged");
}

}  // namespace park::judge
