#pragma once

#include <cstdint>

namespace park::bridge {

/// Whether the system can do what enter_sandbox does.
[[nodiscard]] bool has_sandbox() noexcept;

/// Takes rights from this process, all its threads included, for good. Afterwards it reads files
/// and computes, with at most `most_bytes` of address space. It starts no process, program or
/// socket, writes no file and sends no signal to others. It is killed when the thread that started
/// it ends. Throws Error{unavailable} where the system cannot do that.
void enter_sandbox(std::uint64_t most_bytes);

}  // namespace park::bridge
