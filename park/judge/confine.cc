// The rights of a candidate's process. The rules compare the number of a call with a list and
// return; two calls are looked at more closely. Everything else fails with EPERM, so that libraries
// go on without it. Unlike the sandbox of a server's sessions, a candidate opens no file at all:
// what it is made of is in its memory before the rules hold.
#include "park/judge/confine.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "park/core/error.h"

namespace park::judge {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no rules
#endif

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

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

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
/// Goes on behind `no` more rules unless the loaded word has that value.
sock_filter unless(std::uint32_t value, std::uint8_t no) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, no);
}
sock_filter give(std::uint32_t what) { return BPF_STMT(BPF_RET | BPF_K, what); }

/// The low half of an argument: both architectures are little-endian.
std::size_t low(unsigned argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
}

}  // namespace

std::vector<sock_filter> confining_rules(int program) {
  if (kArchitecture == 0) return {};
  std::vector<sock_filter> rules{load(offsetof(seccomp_data, arch)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
                                 give(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (const int call : kAllowed) {
    rules.push_back(unless(static_cast<std::uint32_t>(call), 1));
    rules.push_back(give(SECCOMP_RET_ALLOW));
  }
  const auto allow_value = [&](int call, unsigned argument, std::uint32_t value) {
    rules.insert(rules.end(), {unless(static_cast<std::uint32_t>(call), 4), load(low(argument)),
                               unless(value, 1), give(SECCOMP_RET_ALLOW), give(kRefuse)});
  };
  // The descriptor closes with the exec, and nothing else can be opened under its number.
  if (program >= 0) allow_value(SYS_execveat, 0, static_cast<std::uint32_t>(program));
  // A program that starts asks for its limits; it sets none.
  rules.insert(rules.end(), {unless(SYS_prlimit64, 6), load(low(2)), unless(0, 3),
                             load(low(2) + sizeof(std::uint32_t)), unless(0, 1),
                             give(SECCOMP_RET_ALLOW), give(kRefuse)});
  rules.push_back(give(kRefuse));
  return rules;
}

int confine(const std::vector<sock_filter>& rules) noexcept {
  if (rules.empty()) return ENOSYS;
  const sock_fprog program{static_cast<unsigned short>(rules.size()),
                           const_cast<sock_filter*>(rules.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
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
  const std::vector<sock_filter> rules = confining_rules(-1);
  const pid_t child = fork();
  if (child == 0) {
    const int error = confine(rules);
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
