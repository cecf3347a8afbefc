#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "park/judge/channel.h"
#include "park/judge/confine.h"

namespace park::judge {

/// The descriptors of a candidate's process; 0, 1 and 2 are the null device.
inline constexpr int kSocket = 3, kProgram = 4;

/// What a forked process becomes. It is called with the descriptors above in place, all others
/// closed, and never returns.
using Become = std::function<void()>;

/// A process that plays for a candidate. It ends with this object, and with the thread that made
/// it. One thread.
class Process {
 public:
  using Outcome = Channel::Outcome;

  /// `program`: becomes kProgram, closed by an exec; -1: none. `hello`: the first message to it; "":
  /// none. Throws Error{unavailable} where it cannot be confined, and Error{io} where it cannot be
  /// started.
  Process(const Become&, int program, const std::string& hello, const Limits&);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Why the candidate's code is not loaded; "": it is.
  [[nodiscard]] const std::string& refused() const noexcept { return refused_; }
  /// Sends packed rows and waits for their answers, at most `most` bytes.
  [[nodiscard]] Outcome ask(std::string_view questions, std::size_t most, std::string& answers,
                            Channel::Clock::time_point until);
  /// Ends it. How it ended, for people: by itself, by which signal, or by this call.
  [[nodiscard]] std::string end();

 private:
  void load(const std::string& hello, std::chrono::duration<double> limit);

  pid_t pid_ = -1;
  std::unique_ptr<Channel> channel_;
  std::string refused_;
};

/// For `Become`: applies limits and rules, and says so; ends the process where that fails.
void confine_here(const process::SyscallRules&, const Limits&, bool of_memory) noexcept;

}  // namespace park::judge
