#include "park/check/waivers.h"

#include <array>

namespace park::check {
namespace {

bool is_system(const Subject& s) { return s.spec.traits.system; }
bool is_elsewhere(const Subject& s) { return s.elsewhere; }
bool differs_each_time(const Subject& s) { return !s.spec.traits.replayable; }

constexpr std::string_view kDiffers = "its traits say that it does not repeat itself";

constexpr std::array kWaivers = {
    Waiver{&is_system, "observations_are_sound", "checked by the tests of the system"},
    Waiver{&is_system, "metrics_are_told", "needs the system to run"},
    Waiver{&is_system, "every_value_is_written", "rows are written by the system's threads"},
    Waiver{&is_system, "rows_leave_their_neighbours_alone", "it owns its rows"},
    Waiver{&is_system, "episodes_end", "needs the system to run"},
    Waiver{&is_system, "time_adds_up", "real time passes"},
    Waiver{&is_system, "horizon_only_cuts", "real time passes"},
    Waiver{&is_system, "every_prefix_completes", "needs the system to run"},
    Waiver{&is_system, "legal_actions_are_accepted", "needs the system to run"},
    Waiver{&is_system, "illegal_actions_are_refused", "needs the system to run"},
    Waiver{&is_system, "policies_play", "needs the system to run"},
    Waiver{&is_system, "repeats_itself", "a real system does not repeat itself"},
    Waiver{&is_system, "inputs_matter", "needs the system to run"},
    Waiver{&is_system, "inputs_ignore_actions", "its inputs are not ours"},
    Waiver{&is_system, "watching_changes_nothing", "a real system does not repeat itself"},
    Waiver{&is_system, "threads_change_nothing", "a real system does not repeat itself"},
    Waiver{&is_system, "push_equals_pull", "it only pushes"},
    Waiver{&is_system, "records_replay", "a real system does not repeat itself"},
    Waiver{&is_system, "clones_agree_and_part", "a real system cannot be copied"},
    Waiver{&is_system, "steady_state_allocates_nothing", "its memory is not ours"},
    Waiver{&is_system, "long_runs_allocate_nothing", "its memory is not ours"},
    Waiver{&is_elsewhere, "fields_are_described", "its fields are known where it runs"},
    Waiver{&is_elsewhere, "fields_refuse_what_is_outside", "its fields are known where it runs"},
    Waiver{&is_elsewhere, "twins_agree", "its twin is registered where it runs"},
    Waiver{&is_elsewhere, "every_value_is_written", "rows are written where it runs"},
    Waiver{&is_elsewhere, "rows_leave_their_neighbours_alone", "rows are written where it runs"},
    Waiver{&is_elsewhere, "inputs_ignore_actions", "events are not reported by a stream"},
    Waiver{&is_elsewhere, "watching_changes_nothing", "events are not reported by a stream"},
    Waiver{&is_elsewhere, "push_equals_pull", "the server chooses the role"},
    Waiver{&is_elsewhere, "records_replay", "a record is replayed where it is simulated"},
    Waiver{&is_elsewhere, "clones_agree_and_part", "a stream cannot be cloned"},
    Waiver{&is_elsewhere, "steady_state_allocates_nothing", "its memory is elsewhere"},
    Waiver{&is_elsewhere, "long_runs_allocate_nothing", "its memory is elsewhere"},
    Waiver{&differs_each_time, "every_value_is_written", kDiffers},
    Waiver{&differs_each_time, "horizon_only_cuts", kDiffers},
    Waiver{&differs_each_time, "illegal_actions_are_refused", kDiffers},
    Waiver{&differs_each_time, "policies_play", kDiffers},
    Waiver{&differs_each_time, "repeats_itself", kDiffers},
    Waiver{&differs_each_time, "inputs_matter", kDiffers},
    Waiver{&differs_each_time, "inputs_ignore_actions", kDiffers},
    Waiver{&differs_each_time, "watching_changes_nothing", kDiffers},
    Waiver{&differs_each_time, "threads_change_nothing", kDiffers},
    Waiver{&differs_each_time, "push_equals_pull", kDiffers},
    Waiver{&differs_each_time, "records_replay", kDiffers},
    Waiver{&differs_each_time, "clones_agree_and_part", kDiffers},
};

}  // namespace

std::span<const Waiver> waivers() { return kWaivers; }

std::string waiver(std::string_view property, const Subject& s) {
  for (const Waiver& w : waivers())
    if (w.property == property && w.applies(s)) return std::string(w.why);
  return "";
}

}  // namespace park::check
