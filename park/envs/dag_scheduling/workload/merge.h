#pragma once

#include <optional>
#include <span>
#include <string>

#include "park/envs/dag_scheduling/workload.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

/// Adds what `from` measured to `into`, two measurements of one job: samples of equal cells are
/// concatenated, run and CPU times summed. The jobs must have the same graph with the same numbers
/// of tasks. Their stages may be numbered differently, as by Spark from run to run. Stages that the
/// graph does not distinguish are taken in order. Returns nothing, or in one clause how the graphs
/// differ; then `into` is unchanged.
[[nodiscard]] std::optional<std::string> append_samples(dag_scheduling::JobProfile& into,
                                                        const dag_scheduling::JobProfile& from);

struct MergeOptions {
  std::string name;  ///< empty: the first input's
  /// Nothing: that of the inputs, which must agree.
  std::optional<dag_scheduling::Inflation> inflation;
};

/// All jobs of the inputs in order of appearance; jobs of the same name become one, their samples
/// in the order of the inputs. Throws Error{bad_file} with a line per job whose graphs differ, and
/// when the inputs' inflation differs and none is given.
[[nodiscard]] dag_scheduling::Workload merge_workloads(
    std::span<const dag_scheduling::Workload* const> inputs, const MergeOptions& options = {});

}  // namespace park::dag_scheduling::workload
