#pragma once

#include "park/check/subject.h"
#include "park/core/error.h"

namespace park::check {

/// Adds a line for everything that is wrong with Futures::clone_with_future, where the environment
/// has it. The past stays, rows of the same instant included. Equal seeds give equal futures, some
/// other seeds give others, and the original continues as if there were no copy.
void check_futures(const Subject&, Violations&);

}  // namespace park::check
