#pragma once

#include <cstdint>

#include "park/process/syscall_filter.h"

namespace park::judge {

/// What a candidate may use.
struct Limits {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< of its address space
  double time_s = 60;                                   ///< for all of its answers together
  double answer_s = 5;  ///< for one message, and for loading its code
};

/// The rules for system calls. A process under them computes, allocates, reads and writes what is
/// open already, and ends. It opens nothing, starts nothing, connects to nothing and signals nobody.
/// `program`: a descriptor that may be executed, once; -1: none.
[[nodiscard]] process::SyscallRules confining_rules(int program);

/// Limits of processor time and, if asked for, of memory; no core files. 0, or the number of the
/// error. May be called between fork and exec.
[[nodiscard]] int set_limits(const Limits&, bool of_memory) noexcept;

/// Throws Error{unavailable} in one line where this machine cannot confine a process: it tries.
void check_confinement();

}  // namespace park::judge
