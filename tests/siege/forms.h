#pragma once

#include <string>
#include <vector>

#include "tests/siege/attack.h"

namespace park::siege {

/// Damages copies of a file, or of a checkpoint's files, and lets `park` read them. The attacks are
/// `damage-FORM`, and `damage-FORM-sums` where the form has a checksum, which is made right again.
/// A copy is refused, or gives the result of the whole one; without a checksum it may also give
/// another result. FORM is record, results, suite, workload, checkpoint or traces. Throws Trouble
/// where a path has none of these forms.
[[nodiscard]] std::vector<Report> attack_files(const Options&);

/// Whether a path is that of a run: a folder that `park train` or `park bench` has made.
[[nodiscard]] bool is_run(const std::string& path);
/// Makes a run again and again, in folders of its own: attacks `signals`, `disk-full` and
/// `power-loss`. What comes out in the end has the bytes of the run.
[[nodiscard]] std::vector<Report> attack_runs(const Options&);

}  // namespace park::siege
