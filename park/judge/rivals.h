#pragma once

#include <string>
#include <vector>

#include "park/core/registry.h"

namespace park::judge {

/// Whom a candidate is compared with.
struct Rival {
  enum class Role : std::uint8_t { random, heuristic, learned, bound };
  std::string policy{};
  Role role = Role::heuristic;
  std::vector<double> values{};  ///< [inputs] the metric; empty: it could not play
  double mean = 0;               ///< of them; undefined where one is
};
[[nodiscard]] const char* to_text(Rival::Role) noexcept;

/// Those that the suites of Park name for this environment: of the one whose text differs in the
/// fewest fields. Among several it is that with the most learned policies. Random is always there,
/// first. Without a suite: all heuristics that fit.
[[nodiscard]] std::vector<Rival> rivals_of(const Registry&, const EnvOfText&);

/// The policy that nothing can beat, as that suite says; "": it names none.
[[nodiscard]] std::string bound_of(const Registry&, const EnvOfText&);

/// Plays inputs and fills in the values. Throws what the policy or the environment throws.
void play_rival(const Registry&, const EnvOfText&, const std::vector<Episode>&, std::size_t metric,
                Rival&);

/// The places in a list that has played: random and the best heuristic. Throws Error{unavailable}
/// in one line where no heuristic has a defined mean.
struct Anchors {
  std::size_t random = 0, best = 0;
};
[[nodiscard]] Anchors anchors_of(const std::vector<Rival>&, bool lower_is_better);

}  // namespace park::judge
