#pragma once

#include "park/sim/ticks.h"

namespace park::dag_scheduling {

/// The time of an episode is in whole microseconds.
using sim::kNever;
using sim::kTicksPerMs;
using sim::Ticks;
using sim::ticks_at_or_after;
using sim::to_seconds;
using sim::to_ticks;

}  // namespace park::dag_scheduling
