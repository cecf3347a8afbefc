#pragma once

#include <memory>

#include "park/command/data_action.h"

namespace park::abr::traces {

// What `park data traces` does.
std::unique_ptr<command::DataAction> make_import_mahimahi();
std::unique_ptr<command::DataAction> make_import_fcc();
std::unique_ptr<command::DataAction> make_import_hsdpa();
std::unique_ptr<command::DataAction> make_generate();
std::unique_ptr<command::DataAction> make_split();
std::unique_ptr<command::DataAction> make_compare();
std::unique_ptr<command::DataAction> make_describe();

}  // namespace park::abr::traces
