#pragma once

#include <memory>

#include "park/command/data_action.h"

namespace park::dag_scheduling::workload {

// What `park data workload` does.
std::unique_ptr<command::DataAction> make_import_spark();
std::unique_ptr<command::DataAction> make_import_decima();
std::unique_ptr<command::DataAction> make_import_dag();
std::unique_ptr<command::DataAction> make_generate();
std::unique_ptr<command::DataAction> make_merge();
std::unique_ptr<command::DataAction> make_filter();
std::unique_ptr<command::DataAction> make_scale();
std::unique_ptr<command::DataAction> make_demand();
std::unique_ptr<command::DataAction> make_export();
std::unique_ptr<command::DataAction> make_describe();

}  // namespace park::dag_scheduling::workload
