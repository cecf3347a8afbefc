#pragma once

#include <iosfwd>

#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// Writes the workload in the JSON form of job graphs. Nothing is lost: import_dag makes the same
/// workload of it again, with equal bytes. Throws Error{bad_file} if a name or the provenance is
/// not UTF-8, which JSON cannot hold.
void export_json(const dag_scheduling::Workload& workload, std::ostream& out);

}  // namespace park::dag_scheduling::workload
