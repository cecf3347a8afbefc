#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "park/core/candidates.h"
#include "park/core/declarations.h"
#include "park/core/misreporting_env.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::attack {

/// An episode to play, with what the user of one job declares; nothing: all tell the truth.
struct Play {
  Episode episode{};
  std::optional<Misreport> declared{};
};

/// [jobs] seconds from the arrival to the completion of each job; NaN of those that did not end.
using JobTimes = std::vector<double>;

/// Thrown out of a play when an end was asked for.
struct Stopped {};

/// Plays episodes with one policy. One thread.
class Player {
 public:
  /// Sees the decisions of a play: the true row, and the action that the true environment takes.
  using Visit = std::function<void(std::size_t play, const Moment&, ConstRow action)>;
  using Stop = std::function<bool()>;

  /// Throws Error{unavailable} in one line where the environment is not simulated here, or its
  /// users declare nothing.
  Player(const Registry&, const std::string& env, const std::string& policy, Stop);

  /// The times of all jobs in each play. A policy draws alike in plays of the same episode. Throws
  /// Stopped.
  [[nodiscard]] std::vector<JobTimes> play(const std::vector<Play>&, const Visit& = {});

  [[nodiscard]] const Spec& spec() const noexcept { return spec_; }
  [[nodiscard]] Policy& policy() noexcept { return *policy_; }
  [[nodiscard]] const std::string& policy_text() const noexcept { return policy_text_; }
  [[nodiscard]] const Declarations& declarations() const noexcept { return *declarations_; }
  [[nodiscard]] const Heads& heads() const noexcept { return heads_; }

  /// Whether the first head's legal values differ in how good they are for a job of the row.
  [[nodiscard]] bool competes(const Moment&, std::uint64_t job);

 private:
  EnvMaker make_;
  Spec spec_;
  Stop stop_;
  std::unique_ptr<Declarations> declarations_;
  std::string policy_text_;
  std::unique_ptr<Policy> policy_;
  Heads heads_;
  Batch row_, action_;  // one row each, of competes
  Candidates candidates_;
};

}  // namespace park::attack
