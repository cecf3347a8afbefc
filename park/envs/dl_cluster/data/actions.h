#pragma once

#include <memory>

#include "park/command/data_action.h"

namespace park::dl_cluster::speeds {

// What `park data speeds` does.
std::unique_ptr<command::DataAction> make_import_dl2();
std::unique_ptr<command::DataAction> make_write();
std::unique_ptr<command::DataAction> make_describe();

}  // namespace park::dl_cluster::speeds

namespace park::dl_cluster::jobs {

// What `park data jobs` does.
std::unique_ptr<command::DataAction> make_import_philly();
std::unique_ptr<command::DataAction> make_import_helios();
std::unique_ptr<command::DataAction> make_import_alibaba2020();
std::unique_ptr<command::DataAction> make_import_alibaba2023();

}  // namespace park::dl_cluster::jobs
