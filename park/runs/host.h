#pragma once

#include <string>
#include <string_view>

#include "park/runs/manifest.h"

namespace park::runs {

/// Adds processor, system, cores and memory of this machine.
void describe_machine(TrainingHost&);

/// Which BLAS the file of a library is: openblas, mkl, blis, atlas, reference, or unknown.
[[nodiscard]] std::string blas_name(std::string_view file);
/// A warning for people if the BLAS is slow; empty: it is not.
[[nodiscard]] std::string slow_blas_warning(std::string_view blas);

/// CPU time of this process so far.
[[nodiscard]] double process_cpu_s();

/// Seconds of a clock that never goes back.
[[nodiscard]] double monotonic_s();

/// Seconds since 1970.
[[nodiscard]] double calendar_s();

}  // namespace park::runs
