// The rules load the number of the call, and each compares it with one call. A rule that looks at an
// argument loads that instead, so it returns in any case.
#include "park/process/syscall_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace park::process {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no rules
#endif

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

/// The low half of an argument: both architectures are little-endian.
constexpr std::size_t low(unsigned argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
}

}  // namespace

SyscallFilter::SyscallFilter() {
  load(offsetof(seccomp_data, arch));
  jump(BPF_JEQ, kArchitecture, 1, 0);
  give(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
}

void SyscallFilter::allow(int call) { answer(call, SECCOMP_RET_ALLOW); }

void SyscallFilter::refuse(int call, int error) {
  answer(call, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}

void SyscallFilter::answer(int call, std::uint32_t what) {
  jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
  give(what);
}

void SyscallFilter::allow_bits(int call, unsigned argument, std::uint32_t bits, bool wanted) {
  jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
  load(low(argument));
  jump(BPF_JSET, bits, wanted ? 1 : 0, wanted ? 0 : 1);
  give(kRefuse);
  give(SECCOMP_RET_ALLOW);
}

void SyscallFilter::allow_values(int call, unsigned argument,
                                 std::initializer_list<std::uint32_t> values) {
  jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0,
       static_cast<std::uint8_t>(2 + 2 * values.size()));
  load(low(argument));
  for (const std::uint32_t value : values) {
    jump(BPF_JEQ, value, 0, 1);
    give(SECCOMP_RET_ALLOW);
  }
  give(kRefuse);
}

void SyscallFilter::allow_null(int call, unsigned argument) {
  jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 6);
  load(low(argument));
  jump(BPF_JEQ, 0, 0, 3);
  load(low(argument) + sizeof(std::uint32_t));
  jump(BPF_JEQ, 0, 0, 1);
  give(SECCOMP_RET_ALLOW);
  give(kRefuse);
}

SyscallRules SyscallFilter::rules() const {
  if (kArchitecture == 0) return {};
  SyscallRules all = rules_;
  all.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
  return all;
}

void SyscallFilter::load(std::size_t offset) {
  rules_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}

void SyscallFilter::jump(std::uint16_t kind, std::uint32_t value, std::uint8_t yes,
                         std::uint8_t no) {
  const auto code = static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K);
  rules_.push_back(BPF_JUMP(code, value, yes, no));
}

void SyscallFilter::give(std::uint32_t what) { rules_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }

bool has_syscall_filters() noexcept {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int install(const SyscallRules& rules) noexcept {
  if (rules.empty()) return ENOSYS;
  const sock_fprog program{static_cast<unsigned short>(rules.size()),
                           const_cast<sock_filter*>(rules.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const long failed =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  return failed == 0 ? 0 : failed > 0 ? EAGAIN : errno;  // positive: a thread that cannot follow
}

}  // namespace park::process
