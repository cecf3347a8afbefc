#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/bench/summary.h"
#include "park/core/registry.h"

namespace park::attack {

/// How a misreport is found.
enum class Mode : std::uint8_t {
  white,  ///< by the policy's scores
  black,  ///< by a proxy, fitted on what the user saw of its own job
  random  ///< the null: drawn, and not tried
};

/// An attack by one misreporting user at a time. Targets are jobs of evaluation inputs, one job of
/// an input sequence. A misreport is found on practice dynamics and judged on fresh ones, which
/// differ in everything but the inputs. Each fresh episode is played with the misreport and without
/// it.
struct AttackPlan {
  std::string env, policy;            ///< texts
  std::vector<std::string> beside{};  ///< policies that are attacked too, to compare
  Mode mode = Mode::white;
  std::uint64_t targets = 100;
  double epsilon = 0.2;                   ///< of declared quantities, in (0, 1]
  bool structure = false;                 ///< changes of structure are tried too
  std::uint64_t practice = 6, fresh = 6;  ///< episodes per target
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< the result does not depend on it
};

/// What a misreport did to one target.
struct TargetResult {
  std::uint64_t episode = 0, job = 0;  ///< whose inputs
  std::uint64_t decisions = 0;         ///< in which it competed, without misreport
  double ratio = 1;  ///< mean over fresh episodes of completion time with / without
  double harm = 0;   ///< mean relative change of the others' mean completion time
};

/// A figure with its 95 % interval.
struct AttackFigure {
  double mean = bench::kUndefined;
  bench::Interval ci95{};
};

/// The figures of some targets.
struct AttackFigures {
  AttackFigure success;  ///< share of targets whose ratio is below 1; Wilson's interval
  AttackFigure gain;     ///< mean of 1 - ratio over these; undefined where there is none
  AttackFigure ratio;    ///< mean over all targets
  AttackFigure harm;     ///< mean over all targets
};

/// One policy under attack, and under the null.
struct Attacked {
  std::string policy{};
  Mode mode = Mode::white;
  std::vector<TargetResult> attack{}, null{};  ///< [targets]
  std::uint64_t excluded = 0;                  ///< jobs that never competed, or did not end
};

struct AttackOutcome {
  std::vector<Attacked> policies{};  ///< the victim first; those that were begun
  bool finished = false;             ///< else an end was asked for
};

/// Follows and may end it. Called from all threads.
class AttackWatcher {
 public:
  virtual ~AttackWatcher() = default;
  [[nodiscard]] virtual bool stop() { return false; }
  /// Another target was judged, of a policy.
  virtual void on_target(const std::string& policy) { static_cast<void>(policy); }
};

/// The policies that the environment compares with. Throws Error{unavailable} in one line where its
/// users declare nothing.
[[nodiscard]] std::vector<std::string> references_of(const Registry&, const std::string& env);

/// The interval of Wilson (JASA 22, 1927) of a share. REQUIRES of > 0.
[[nodiscard]] AttackFigure share_figure(std::uint64_t hits, std::uint64_t of);
[[nodiscard]] AttackFigures figures_of(const std::vector<TargetResult>&);

/// A policy of `beside` without scores is attacked by the proxy where the mode is white. Throws
/// Error{invalid_config} in one line where the victim has no scores in that mode, or where no job
/// of the first inputs competes. Throws it too where epsilon or the number of targets is out of
/// range. Throws Error{unavailable} where the users of the environment declare nothing.
[[nodiscard]] AttackOutcome attack(const Registry&, const AttackPlan&, AttackWatcher&);

}  // namespace park::attack
