#pragma once

#include <functional>
#include <string_view>

#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// Passes the workload to `write`, piece by piece, in the JSON form of job graphs. Nothing is lost:
/// import_dag makes the same workload of it again, with equal bytes. Throws Error{bad_file} if a
/// name or the provenance is not UTF-8, which JSON cannot hold.
void export_json(const dag_scheduling::Workload& workload,
                 const std::function<void(std::string_view)>& write);

}  // namespace park::dag_scheduling::workload
