#pragma once

#include <memory>

#include "park/command/data_action.h"

namespace park::dl_inference::arrivals {

// What `park data arrivals` does.
std::unique_ptr<command::DataAction> make_import_azure();
std::unique_ptr<command::DataAction> make_import_burstgpt();

}  // namespace park::dl_inference::arrivals
