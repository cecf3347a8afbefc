#pragma once

#include "park/check/subject.h"
#include "park/core/error.h"

/// The functions of the properties; properties.cc says what each one checks.
namespace park::check {

// spec_properties.cc
void spec_is_valid(const Subject&, Violations&);
void canonical_text_round_trips(const Subject&, Violations&);
void fields_are_described(const Subject&, Violations&);
void fields_refuse_what_is_outside(const Subject&, Violations&);
void layout_ignores_sizes(const Subject&, Violations&);
void twins_agree(const Subject&, Violations&);

// play_properties.cc
void observations_are_sound(const Subject&, Violations&);
void metrics_are_told(const Subject&, Violations&);
void every_value_is_written(const Subject&, Violations&);
void rows_leave_their_neighbours_alone(const Subject&, Violations&);
void episodes_end(const Subject&, Violations&);
void time_adds_up(const Subject&, Violations&);
void horizon_only_cuts(const Subject&, Violations&);

// action_properties.cc
void every_prefix_completes(const Subject&, Violations&);
void legal_actions_are_accepted(const Subject&, Violations&);
void illegal_actions_are_refused(const Subject&, Violations&);
void policies_play(const Subject&, Violations&);

// determinism_properties.cc
void repeats_itself(const Subject&, Violations&);
void inputs_matter(const Subject&, Violations&);
void inputs_ignore_actions(const Subject&, Violations&);
void watching_changes_nothing(const Subject&, Violations&);
void threads_change_nothing(const Subject&, Violations&);
void push_equals_pull(const Subject&, Violations&);
void records_replay(const Subject&, Violations&);
void clones_agree_and_part(const Subject&, Violations&);

// cost_properties.cc
void steady_state_allocates_nothing(const Subject&, Violations&);
void long_runs_allocate_nothing(const Subject&, Violations&);

}  // namespace park::check
