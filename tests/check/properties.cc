#include "tests/check/properties.h"

#include <array>
#include <exception>
#include <string>

namespace park::test {

std::span<const Property> properties() {
  static constexpr std::array kAll = {
      Property{"spec_is_valid", "names, types, bounds, units, documentation, metrics",
               &spec_is_valid},
      Property{"canonical_text_round_trips", "the canonical text names the same environment",
               &canonical_text_round_trips},
      Property{"fields_are_described", "every field has a documentation, a unit, a valid default",
               &fields_are_described},
      Property{"fields_refuse_what_is_outside",
               "a bad value and an unknown field are refused by name, all at once",
               &fields_refuse_what_is_outside},
      Property{"layout_ignores_sizes", "the layout depends neither on capacities nor on bounds",
               &layout_ignores_sizes},
      Property{"twins_agree", "a simulated and a real system have the same layout", &twins_agree},
      Property{"observations_are_sound",
               "values finite and within bounds, counts within capacity, indices in range",
               &observations_are_sound},
      Property{"every_value_is_written", "nothing that is read was left over in the memory",
               &every_value_is_written},
      Property{"rows_leave_their_neighbours_alone", "a row does not touch another one",
               &rows_leave_their_neighbours_alone},
      Property{"episodes_end", "whatever the decisions are", &episodes_end},
      Property{"time_adds_up", "elapsed times are the clock; arrivals come within their step",
               &time_adds_up},
      Property{"horizon_only_cuts", "truncated at the horizon, and the same until then",
               &horizon_only_cuts},
      Property{"every_prefix_completes", "every legal prefix of choices has a legal completion",
               &every_prefix_completes},
      Property{"legal_actions_are_accepted", "every legal action can be taken",
               &legal_actions_are_accepted},
      Property{"illegal_actions_are_refused", "an illegal one changes nothing, or is projected",
               &illegal_actions_are_refused},
      Property{"policies_play", "every policy that fits decides legally, and alike on any slot",
               &policies_play},
      Property{"repeats_itself", "same episode, same actions, same bytes", &repeats_itself},
      Property{"inputs_matter", "other inputs, another episode", &inputs_matter},
      Property{"inputs_ignore_actions", "arrivals depend on the inputs and on nothing else",
               &inputs_ignore_actions},
      Property{"watching_changes_nothing", "events are sound, and a sink changes nothing",
               &watching_changes_nothing},
      Property{"threads_change_nothing", "same bytes on any number of slots, workers and rows",
               &threads_change_nothing},
      Property{"push_equals_pull", "same bytes where the system asks", &push_equals_pull},
      Property{"records_replay", "a record repeats", &records_replay},
      Property{"clones_agree_and_part", "a clone goes on alike and alone", &clones_agree_and_part},
      Property{"steady_state_allocates_nothing", "in the second pass over a list of episodes",
               &steady_state_allocates_nothing},
      Property{"long_runs_allocate_nothing", "in 10 000 decisions of an overloaded system",
               &long_runs_allocate_nothing, true},
  };
  return kAll;
}

Violations violations(const Property& property, const Subject& subject) {
  Violations bad;
  try {
    property.check(subject, bad);
  } catch (const std::exception& e) {
    bad.add(std::string("throws: ") + e.what());
  }
  return bad;
}

}  // namespace park::test
