#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stop_token>

#include "park/core/env.h"
#include "park/core/episodes.h"

namespace park {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
constexpr Deadline kNever = Deadline::max();

/// One subject of decisions in a running system: an application, a flow, a player. The id is never
/// reused. The slot is a small dense number, reused after the end of the context was received.
struct Context {
  std::uint32_t slot = 0;
  std::uint64_t id = 0;
};

/// Answers the questions of a running system. Thread-safe; one thread at a time per context.
class Decider {
 public:
  virtual ~Decider() = default;
  /// Begins a context. Begins a context. Beyond the largest number of contexts every decision of
  /// the new one falls back.
  virtual Context open(const Episode&) = 0;
  /// Blocks until an answer, the deadline or a stop. On fallback the action is untouched and the
  /// system decides by itself; after a stop every call falls back at once. `since_last` covers the
  /// time since the last call for this context.
  virtual Applied decide(Context, const Outcome& since_last, ConstRow observation, Row action,
                         Deadline) = 0;
  /// When the agent should have answered all that it has received; kNever: it owes no answer, or
  /// nobody knows. One that is far beyond it hangs.
  [[nodiscard]] virtual Deadline due() const { return kNever; }
  /// The last outcome, observation and figures of the context.
  virtual void close(Context, const Outcome& last, ConstRow final_observation,
                     std::span<const double> metrics) = 0;
};

/// The interface of a running system: the system asks, from any thread and for any number of
/// contexts. `run` plays the episodes and returns when there are no more or a stop is requested;
/// then every context is closed as truncated. The stream's recv throws its exceptions.
class SystemEnv {
 public:
  virtual ~SystemEnv() = default;
  virtual void run(Episodes&, Decider&, std::stop_token) = 0;
};

}  // namespace park
