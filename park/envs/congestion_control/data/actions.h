#pragma once

#include <memory>

#include "park/command/data_action.h"

namespace park::congestion_control::links {

// What `park data link` does.
std::unique_ptr<command::DataAction> make_import_mahimahi();
std::unique_ptr<command::DataAction> make_import_lumos5g();
std::unique_ptr<command::DataAction> make_import_irish5g();
std::unique_ptr<command::DataAction> make_import_pantheon();
std::unique_ptr<command::DataAction> make_generate();
std::unique_ptr<command::DataAction> make_describe();

}  // namespace park::congestion_control::links
