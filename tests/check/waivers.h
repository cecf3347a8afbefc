#pragma once

#include <array>
#include <string_view>

#include "park/core/space.h"

namespace park::test {

/// Which properties a trait waives, and why. A simulated environment waives none.
struct Waiver {
  bool Traits::*trait;
  std::string_view property;
  std::string_view why;
};

inline constexpr std::array kWaivers = {
    Waiver{&Traits::system, "observations_are_sound", "checked by the tests of the system"},
    Waiver{&Traits::system, "every_value_is_written", "rows are written by the system's threads"},
    Waiver{&Traits::system, "rows_leave_their_neighbours_alone", "it owns its rows"},
    Waiver{&Traits::system, "episodes_end", "needs the system to run"},
    Waiver{&Traits::system, "time_adds_up", "real time passes"},
    Waiver{&Traits::system, "horizon_only_cuts", "real time passes"},
    Waiver{&Traits::system, "every_prefix_completes", "needs the system to run"},
    Waiver{&Traits::system, "legal_actions_are_accepted", "needs the system to run"},
    Waiver{&Traits::system, "illegal_actions_are_refused", "needs the system to run"},
    Waiver{&Traits::system, "policies_play", "needs the system to run"},
    Waiver{&Traits::system, "repeats_itself", "a real system does not repeat itself"},
    Waiver{&Traits::system, "inputs_matter", "needs the system to run"},
    Waiver{&Traits::system, "inputs_ignore_actions", "its inputs are not ours"},
    Waiver{&Traits::system, "watching_changes_nothing", "a real system does not repeat itself"},
    Waiver{&Traits::system, "threads_change_nothing", "a real system does not repeat itself"},
    Waiver{&Traits::system, "push_equals_pull", "it only pushes"},
    Waiver{&Traits::system, "records_replay", "a real system does not repeat itself"},
    Waiver{&Traits::system, "clones_agree_and_part", "a real system cannot be copied"},
    Waiver{&Traits::system, "steady_state_allocates_nothing", "its memory is not ours"},
    Waiver{&Traits::system, "long_runs_allocate_nothing", "its memory is not ours"},
};

[[nodiscard]] constexpr bool is_waived(std::string_view property, const Traits& traits) {
  for (const Waiver& w : kWaivers)
    if (w.property == property && traits.*w.trait) return true;
  return false;
}

}  // namespace park::test
