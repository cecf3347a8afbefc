#pragma once

#include <cstddef>
#include <string>

#include "park/core/json_writer.h"
#include "park/envs/dag_scheduling/workload/describe.h"

namespace park::dag_scheduling::workload {

/// An object.
void write_summary(JsonWriter&, const WorkloadSummary&);
/// A table for people: a line per job.
[[nodiscard]] std::string summary_text(const WorkloadSummary&, std::size_t width);

}  // namespace park::dag_scheduling::workload
