#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "park/core/env.h"

namespace park {

/// What an environment may offer beside Env::clone to those who look ahead. It is a base of its own,
/// because most environments and all running systems have nothing to offer here.
class Futures {
 public:
  virtual ~Futures() = default;
  /// A copy in the same state whose future is another one. What happened stays, and all that has
  /// not happened is drawn anew from the seed. These are arrivals to come and the durations of what
  /// has not begun. Under equal seeds equal actions lead to equal bytes. What is under way keeps
  /// its end.
  [[nodiscard]] virtual std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const = 0;
  /// Appends the state to `out`: all that what follows depends on, and nothing else. Times are
  /// relative to now, and what is alike has no number. Equal bytes in an episode mean that equal
  /// actions lead to equal rewards. False: it cannot tell.
  [[nodiscard]] virtual bool append_state(std::string& out) const {
    static_cast<void>(out);
    return false;
  }

 protected:
  Futures() = default;
  Futures(const Futures&) = default;
  Futures& operator=(const Futures&) = default;
};

/// Futures::clone_with_future of an environment that has it; else nullptr.
[[nodiscard]] inline std::unique_ptr<Env> clone_with_future(const Env& env, std::uint64_t seed) {
  const auto* futures = dynamic_cast<const Futures*>(&env);
  return futures == nullptr ? nullptr : futures->clone_with_future(seed);
}

/// Futures::append_state of an environment that has it; else false.
[[nodiscard]] inline bool append_state(const Env& env, std::string& out) {
  const auto* futures = dynamic_cast<const Futures*>(&env);
  return futures != nullptr && futures->append_state(out);
}

}  // namespace park
