#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cli/frame/command.h"
#include "park/core/json_writer.h"
#include "park/envs/dag_scheduling/workload/describe.h"

namespace park::cli {

// The commands of `park workload` that write a file.
std::unique_ptr<Command> make_import_spark_command();
std::unique_ptr<Command> make_import_decima_command();
std::unique_ptr<Command> make_merge_command();
std::unique_ptr<Command> make_import_dag_command();
std::unique_ptr<Command> make_generate_command();
std::unique_ptr<Command> make_filter_command();
std::unique_ptr<Command> make_scale_command();
std::unique_ptr<Command> make_export_command();

/// An object.
void write_workload_summary(JsonWriter&, const dag_scheduling::workload::WorkloadSummary&);
/// A table for people: a line per job.
[[nodiscard]] std::string workload_summary_text(const dag_scheduling::workload::WorkloadSummary&,
                                                std::size_t width);

}  // namespace park::cli
