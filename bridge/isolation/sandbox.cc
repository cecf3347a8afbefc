// The rights of a process that plays for a stranger: limits of memory and core files, and a filter
// of system calls.
#include "bridge/isolation/sandbox.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "park/core/error.h"
#include "park/process/sanitizers.h"
#include "park/process/syscall_filter.h"

namespace park::bridge {
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

int install_filter() {
  process::SyscallFilter filter;
  for (const int call : kAllowed) filter.allow(call);
  filter.allow_bits(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, false);
  filter.allow_bits(SYS_clone, 0, CLONE_THREAD, true);
  filter.refuse(SYS_clone3, ENOSYS);  // its flags are in memory: use clone
  filter.allow_values(SYS_tgkill, 0, {static_cast<std::uint32_t>(getpid())});  // abort
  filter.allow_values(SYS_fcntl, 1, {F_GETFD, F_SETFD, F_GETFL});
  filter.allow_values(SYS_prctl, 0, {PR_SET_NAME});
  filter.allow_null(SYS_prlimit64, 2);
  return process::install(filter.rules());
}

int set_limit(__rlimit_resource_t what, std::uint64_t most) {
  const rlimit limit{most, most};
  return setrlimit(what, &limit) == 0 ? 0 : errno;
}

int limit_memory(std::uint64_t most_bytes) {
  return process::kReservesAddresses ? 0 : set_limit(RLIMIT_AS, most_bytes);
}

}  // namespace

bool has_sandbox() noexcept { return process::has_syscall_filters(); }

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
