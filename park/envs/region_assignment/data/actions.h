#pragma once

#include <memory>

#include "park/command/data_action.h"

namespace park::region_assignment {

// What `park data accounts` does.
std::unique_ptr<command::DataAction> make_hindsight();

}  // namespace park::region_assignment
