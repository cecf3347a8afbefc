#pragma once

#include <string>

#include "park/core/events.h"

namespace park::spark {

/// Tells an event sink what an application did, as its event log has it, in the form of the
/// simulator's timelines. Times are seconds since the first job came. Throws Error{bad_file} or
/// Error{io}.
void application_timeline(const std::string& log, EventSink&);

}  // namespace park::spark
