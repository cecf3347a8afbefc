#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "park/core/batch.h"
#include "park/core/declarations.h"
#include "park/core/events.h"
#include "park/core/space.h"

namespace park {

/// One run of an environment. `inputs` seeds the exogenous process (arrivals, sizes, traces), which
/// does not depend on actions; `dynamics` seeds all other randomness.
struct Episode {
  std::uint64_t id = 0;  ///< number of the episode in the run
  std::uint64_t inputs = 0, dynamics = 0;
  double horizon_s = kInf;  ///< time at which the episode is truncated
  bool operator==(const Episode&) const = default;
};

enum class End : std::uint8_t { none, terminated, truncated };
/// Who took a decision; ordered by severity.
enum class Applied : std::uint8_t { policy, projected, fallback };

/// The result since the last delivered row of this context. A trainer credits a decision only when
/// applied == policy and skipped == 0.
struct Outcome {
  double reward = 0, elapsed_s = 0;
  End end = End::none;
  Applied applied = Applied::policy;
  std::uint32_t skipped = 0;  ///< questions that expired before the agent saw them
  bool operator==(const Outcome&) const = default;
};

/// Environments that are stepped together, in place of each one's step; their records have no groups.
class EnvGroup {
 public:
  virtual ~EnvGroup() = default;
  /// Environment i takes the decision of row i of the actions, and writes row i of the observation and
  /// outcome i: what its step would. REQUIRES as many rows and outcomes as environments.
  virtual void step(const Batch& actions, Batch& observation, std::span<Outcome>) = 0;
};

/// The interface of a simulated environment: the caller advances time. Everything that happens at
/// one instant comes before the decision. Randomness is drawn by identity (job, server, task),
/// never in order of use. Nothing is allocated in steady state. One thread at a time.
class Env {
 public:
  virtual ~Env() = default;
  /// Starts an episode and advances to its first decision. The row arrives empty.
  virtual void reset(const Episode&, Row observation) = 0;
  /// Takes the decision and advances to the next one or to the end. At the end the row is the final
  /// observation. REQUIRES a legal action and no end before.
  virtual Outcome step(ConstRow action, Row observation) = 0;
  /// After the end: the metrics of the spec, in its order.
  virtual void metrics(std::span<double>) const = 0;
  /// Reports to the sink from the next reset on; nullptr ends it.
  virtual void events(EventSink*) {}
  /// Simulated events since the reset; 0 if they are not counted.
  [[nodiscard]] virtual std::uint64_t event_count() const noexcept { return 0; }
  /// What steps these environments, all of this one's configuration, faster than one by one; nullptr:
  /// nothing does. They outlive it and may still be stepped by themselves.
  [[nodiscard]] virtual std::unique_ptr<EnvGroup> group(std::span<Env* const>) const {
    return nullptr;
  }
  /// An independent copy in the same state if the traits say cloneable; else nullptr.
  [[nodiscard]] virtual std::unique_ptr<Env> clone() const { return nullptr; }
  /// What users declare about their jobs, for attacks and for training against them; nullptr: they
  /// declare nothing.
  [[nodiscard]] virtual std::unique_ptr<Declarations> declarations() const { return nullptr; }
};

}  // namespace park
