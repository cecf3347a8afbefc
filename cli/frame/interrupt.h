#pragma once

namespace park::cli {

/// From now on SIGINT and SIGTERM end the process with the exit code 128 + signal, at once or as
/// an InterruptScope says. For main only.
void handle_interrupts();

/// While it lives, the first signal only asks for an end, so that what is finished can be kept. A
/// second signal ends the process at once. One at a time.
class InterruptScope {
 public:
  InterruptScope() noexcept;
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

/// The signal that asked for an end, or 0.
[[nodiscard]] int interrupted() noexcept;

/// Thrown out of work that cannot keep what it has when an end is asked for. The command then ends
/// with the signal's exit code and without a result.
struct Interrupted {};

}  // namespace park::cli
