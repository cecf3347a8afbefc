#pragma once

#include "park/command/out_option.h"

namespace park::abr::traces {

/// Declares --out and --overwrite for a folder of traces.
void declare_folder(command::OutOption&, command::Options&);
/// Adds a violation where the path cannot become a new folder of traces; see check_folder.
void check_folder(const command::OutOption&, Violations&);

}  // namespace park::abr::traces
