#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace park::process {

/// A filter of system calls (seccomp) is a program of the kernel's packet filters. These are its
/// rules; empty on a machine whose architecture is not known here.
using SyscallRules = std::vector<sock_filter>;

/// Writes the rules of a filter, before a fork where one follows. The first rule about a call holds.
/// Calls without a rule fail with EPERM, so that libraries continue without them.
class SyscallFilter {
 public:
  SyscallFilter();
  /// Allows a call with any arguments.
  void allow(int call);
  /// Lets a call fail with another error.
  void refuse(int call, int error);
  /// Allows a call whose argument has none of the bits, or with `wanted` one of them.
  void allow_bits(int call, unsigned argument, std::uint32_t bits, bool wanted);
  /// Allows a call whose argument, of 32 bits, is one of these; at most 100.
  void allow_values(int call, unsigned argument, std::initializer_list<std::uint32_t> values);
  /// Allows a call whose argument, a pointer, is null.
  void allow_null(int call, unsigned argument);
  [[nodiscard]] SyscallRules rules() const;

 private:
  void answer(int call, std::uint32_t what);
  void load(std::size_t offset);
  void jump(std::uint16_t kind, std::uint32_t value, std::uint8_t yes, std::uint8_t no);
  void give(std::uint32_t what);

  SyscallRules rules_;
};

/// Whether install can do it.
[[nodiscard]] bool has_syscall_filters() noexcept;

/// Applies rules to all threads of this process, for good and through an exec. They need no
/// privilege. 0, or the number of the error. May be called between fork and exec.
[[nodiscard]] int install(const SyscallRules&) noexcept;

}  // namespace park::process
