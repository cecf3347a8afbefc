#pragma once

#include <filesystem>
#include <vector>

#include "park/trees/distill.h"

namespace park::trees {

/// What a distillation has finished, in a file (schema park.distill): the plan, and each round with
/// its tree. A later call with the same plan continues behind them; it may have more rounds, and
/// another number of threads.

/// Writes the rounds of `plan.finished`. Throws Error{io}.
void write_finished_rounds(const std::filesystem::path&, const DistillPlan& plan);
/// Throws Error{io}; Error{bad_file} in one line where the file is damaged or of another plan, whose
/// first differing field it names.
[[nodiscard]] std::vector<FinishedRound> read_finished_rounds(const std::filesystem::path&,
                                                              const DistillPlan& plan);

}  // namespace park::trees
