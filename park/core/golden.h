#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/env.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park {

constexpr int kGoldenVersion = 1;

/// Plays one episode and writes a golden trajectory: what happened as a readable text, small enough
/// to keep under version control:
///     park-record 1
///     env <canonical text>
///     version <of the spec>
///     layout <layout_hash, 16 hexadecimal digits>
///     episode id=0 inputs=1 dynamics=2 horizon_s=inf
///     row 0                      what decision 0 saw; leaves that did not change are left out
///       time_s 12.5              values of a leaf; integers exact, floats to 6 significant digits
///       [stages] 140             elements of a group
///       stage.tasks sum=912 weighted=60133   of more than 32 values: sum, and sum of (i + 1) value
///     act 0
///       stage 3                  the decision; floats exact
///     outcome reward=-1 elapsed_s=0.5 end=none
///     ...
///     final                      the final observation and the metrics, or
///     stopped                    where the limit of decisions came first
///     metrics
///       avg_jct_s 12.5
///     end
/// The policy is keyed by the dynamics of the episode. Throws Error{illegal_action}, and Error{io}
/// if the stream fails.
void record(std::ostream&, std::string_view env_text, Env&, const Spec&, Policy&, const Episode&,
            std::uint64_t max_decisions = 40);

/// A place where a golden trajectory does not repeat.
struct Difference {
  std::size_t line;   ///< of the text, from 1
  std::string field;  ///< "layout", "decision 3 reward", "row 2 stage.tasks"
  std::string expected, found;
};

struct ReplayReport {
  std::string env{};
  std::uint64_t decisions = 0;            ///< replayed
  std::vector<Difference> differences{};  ///< the first ones, at most 10
  [[nodiscard]] bool same() const noexcept { return differences.empty(); }
};

/// Runs the recorded decisions again, which needs no policy, and compares: integers exactly, floats
/// to 6 significant digits. Throws Error{bad_file} with the line for what is no golden trajectory
/// or a newer one, and what the registry throws for an unknown environment.
[[nodiscard]] ReplayReport replay(std::istream&, const Registry&);

}  // namespace park
