#include "park/check/properties.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string>

#include "park/check/memory.h"
#include "park/check/owed.h"
#include "park/check/waivers.h"

namespace park::check {
namespace {

constexpr std::array kProperties = {
    Property{"spec_is_valid", "names, types, bounds, units, documentation and metrics are complete",
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
    Property{"twins_agree", "a twin that is named is registered and has the same layout",
             &twins_agree},
    Property{"observations_are_sound",
             "values are finite and within bounds, counts within capacity, indices in range",
             &observations_are_sound},
    Property{
        "metrics_are_told",
        "every metric is finite, or undefined in an episode that was cut; asking changes nothing",
        &metrics_are_told},
    Property{"every_value_is_written", "nothing that is read was left over in the memory",
             &every_value_is_written},
    Property{"rows_leave_their_neighbours_alone", "a row does not touch another one",
             &rows_leave_their_neighbours_alone},
    Property{"episodes_end", "every episode ends, whatever the decisions are", &episodes_end},
    Property{"time_adds_up", "elapsed times are the clock; arrivals come within their step",
             &time_adds_up},
    Property{"horizon_only_cuts", "an episode is cut at its horizon, and is the same until then",
             &horizon_only_cuts},
    Property{"every_prefix_completes", "every legal prefix of choices has a legal completion",
             &every_prefix_completes},
    Property{"legal_actions_are_accepted",
             "every legal action can be taken, and they do not all do the same",
             &legal_actions_are_accepted},
    Property{"illegal_actions_are_refused",
             "an illegal action is refused and changes nothing, or is projected",
             &illegal_actions_are_refused},
    Property{"policies_play",
             "every policy that fits decides legally, alike on any slot, on sound rows",
             &policies_play},
    Property{"repeats_itself", "the same inputs, dynamics and actions give the same bytes",
             &repeats_itself},
    Property{"inputs_matter", "other inputs make another episode", &inputs_matter},
    Property{"inputs_ignore_actions",
             "arrivals depend on the inputs and nothing else, and no row shows the next one",
             &inputs_ignore_actions},
    Property{"watching_changes_nothing", "events are sound, and a sink changes nothing",
             &watching_changes_nothing},
    Property{"threads_change_nothing", "the same bytes on any number of slots, workers and rows",
             &threads_change_nothing},
    Property{"push_equals_pull", "the same bytes where the system asks", &push_equals_pull},
    Property{"records_replay", "a recorded episode repeats", &records_replay},
    Property{"clones_agree_and_part",
             "a clone goes on alike and alone, and one with another future keeps the past",
             &clones_agree_and_part},
    Property{"steady_state_allocates_nothing",
             "nothing is allocated in the second pass over a list of episodes",
             &steady_state_allocates_nothing},
    Property{"long_runs_allocate_nothing",
             "nothing is allocated in 10 000 decisions of an overloaded system",
             &long_runs_allocate_nothing, true},
};

bool measures_memory(const Property& p) {
  return p.check == &steady_state_allocates_nothing || p.check == &long_runs_allocate_nothing;
}

/// Why this program cannot check it, or "".
std::string obstacle(const Property& p, const Subject& s) {
  if (measures_memory(p) && !counts_allocations() && heap_bytes() == 0)
    return "this program cannot measure memory";
  const std::string& twin = s.spec.traits.twin;
  if (p.check != &twins_agree || s.knows_systems || twin.empty()) return "";
  const std::vector<std::string> known = s.registry->env_names();
  if (std::ranges::find(known, twin) != known.end()) return "";
  return "this program knows no running systems, and so not " + twin;
}

}  // namespace

std::span<const Property> properties() { return kProperties; }

std::string_view to_text(Verdict v) noexcept {
  constexpr std::string_view kNames[] = {"ok", "violated", "not applicable", "not checked"};
  return kNames[static_cast<std::size_t>(v)];
}

Finding check_property(const Property& property, const Subject& subject) {
  Finding f{.property = &property};
  if (f.reason = waiver(property.name, subject); !f.reason.empty()) {
    f.verdict = Verdict::not_applicable;
    return f;
  }
  if (f.reason = obstacle(property, subject); !f.reason.empty()) {
    f.verdict = Verdict::not_checked;
    return f;
  }
  try {
    property.check(subject, f.violations);
  } catch (const std::exception& e) {
    if (subject.elsewhere) static_cast<void>(subject.registry->spec(subject.text));
    f.violations.add(std::string("throws: ") + e.what());
  }
  if (!f.violations.empty()) f.verdict = Verdict::violated;
  if (f.verdict == Verdict::ok && measures_memory(property) && !counts_allocations())
    f.reason = "only that the heap keeps its size: this program does not count allocations";
  return f;
}

}  // namespace park::check
