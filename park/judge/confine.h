#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace park::judge {

/// What a candidate may use.
struct Limits {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< of its address space
  double time_s = 60;                                   ///< for all of its answers together
  double answer_s = 5;  ///< for one message, and for loading its code
};

/// The rules for system calls (seccomp, by a program of the kernel's packet filters). A process
/// under them computes, allocates, reads and writes what is open already, and ends. It opens
/// nothing, starts nothing, connects to nothing and signals nobody. They need no privilege, and
/// hold through an exec. `program`: a descriptor that may be executed, once; -1: none. Empty on a
/// machine without such rules.
[[nodiscard]] std::vector<sock_filter> confining_rules(int program);

/// Applies the rules to the calling thread. 0, or the number of the error. May be called between
/// fork and exec.
[[nodiscard]] int confine(const std::vector<sock_filter>&) noexcept;

/// Limits of processor time and, if asked for, of memory; no core files. As confine.
[[nodiscard]] int set_limits(const Limits&, bool of_memory) noexcept;

/// Throws Error{unavailable} in one line where this machine cannot confine a process: it tries.
void check_confinement();

}  // namespace park::judge
