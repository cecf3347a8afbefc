// The rights of a process that plays for a stranger: limits of memory and files, and a filter of
// system calls (seccomp). The filter is a program of the kernel's packet filters that enter_sandbox
// writes: it loads the number of the call, and each rule compares it and returns. Calls that no rule
// allows fail with EPERM, so libraries go on without them.
#include "bridge/isolation/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "park/core/error.h"

namespace park::bridge {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no sandbox
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
    SYS_mlock,
    // files that are open, and their names
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_pipe2,  // within the process; sanitizers look at memory by one
    // the socket that it has
    SYS_sendto,
    SYS_recvfrom,
    SYS_ppoll,
    // threads and time
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getcpu,
    SYS_membarrier,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_exit,
    SYS_exit_group,
    // its own signals
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    // what it is and where it runs
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
    SYS_getrusage,
#if defined(__x86_64__)
    SYS_access,
    SYS_readlink,
    SYS_stat,
    SYS_lstat,
    SYS_poll,
    SYS_pipe,
    SYS_arch_prctl,
    SYS_time,
#endif
};

/// Writes rules. Each rule finds the number of the call loaded; one that looks at an argument
/// returns in any case.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }
  void allow(int call) { answer(call, SECCOMP_RET_ALLOW); }
  void answer(int call, std::uint32_t what) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    give(what);
  }
  /// Allows a call whose argument has none of the bits, or with `wanted` one of them.
  void allow_bits(int call, unsigned argument, std::uint32_t bits, bool wanted) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(low(argument));
    jump(BPF_JSET, bits, wanted ? 1 : 0, wanted ? 0 : 1);
    give(kRefuse);
    give(SECCOMP_RET_ALLOW);
  }
  /// Allows a call whose argument, of 32 bits, is one of these.
  void allow_values(int call, unsigned argument, std::initializer_list<std::uint32_t> values) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0,
         static_cast<std::uint8_t>(2 + 2 * values.size()));
    load(low(argument));
    for (const std::uint32_t value : values) {
      jump(BPF_JEQ, value, 0, 1);
      give(SECCOMP_RET_ALLOW);
    }
    give(kRefuse);
  }
  /// Allows a call whose argument, a pointer, is null.
  void allow_null(int call, unsigned argument) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 6);
    load(low(argument));
    jump(BPF_JEQ, 0, 0, 3);
    load(low(argument) + sizeof(std::uint32_t));
    jump(BPF_JEQ, 0, 0, 1);
    give(SECCOMP_RET_ALLOW);
    give(kRefuse);
  }
  /// REQUIRES that no more rules follow. 0, or the error's number.
  int install() {
    give(kRefuse);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    const long failed =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return failed == 0 ? 0 : failed > 0 ? EAGAIN : errno;
  }

 private:
  /// Both architectures are little-endian: the low half comes first.
  static std::uint32_t low(unsigned argument) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                      argument * sizeof(std::uint64_t));
  }
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void jump(std::uint16_t kind, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    const auto code = static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K);
    code_.push_back(BPF_JUMP(code, value, yes, no));
  }
  void give(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }

  std::vector<sock_filter> code_;
};

int install_filter() {
  Filter filter;
  for (const int call : kAllowed) filter.allow(call);
  filter.allow_bits(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, false);
  filter.allow_bits(SYS_clone, 0, CLONE_THREAD, true);
  filter.answer(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);  // its flags are in memory: use clone
  filter.allow_values(SYS_tgkill, 0, {static_cast<std::uint32_t>(getpid())});  // abort
  filter.allow_values(SYS_fcntl, 1, {F_GETFD, F_SETFD, F_GETFL});
  filter.allow_values(SYS_prctl, 0, {PR_SET_NAME});
  filter.allow_null(SYS_prlimit64, 2);
  return filter.install();
}

int set_limit(__rlimit_resource_t what, std::uint64_t most) {
  const rlimit limit{most, most};
  return setrlimit(what, &limit) == 0 ? 0 : errno;
}

/// The address sanitizer reserves more than any limit.
int limit_memory([[maybe_unused]] std::uint64_t most_bytes) {
#if defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  return set_limit(RLIMIT_AS, most_bytes);
#endif
}

}  // namespace

bool has_sandbox() noexcept {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void enter_sandbox(std::uint64_t most_bytes) {
  int error = has_sandbox() ? 0 : ENOSYS;
  if (error == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) error = errno;
  if (error == 0) error = set_limit(RLIMIT_CORE, 0);
  if (error == 0) error = limit_memory(most_bytes);
  if (error == 0) error = install_filter();
  if (error != 0)
    throw Error(Errc::unavailable,
                std::string("the rights of a session's process cannot be limited: ") +
                    std::strerror(error));
}

}  // namespace park::bridge
