#pragma once

#include <string>
#include <string_view>

#include "park/bench/bench_results.h"

namespace park::bench {

/// results.json (docs/benchmarks.md): the rows and every figure that follows from it.
[[nodiscard]] std::string results_json(const BenchResults&);

/// Reads the rows out of such a text, of this version or an older one. Ignores the figures and
/// hashes that follow from the rows. Throws Error{bad_file}: no JSON, another schema, a newer
/// version, or a line per violation.
[[nodiscard]] BenchResults parse_results(std::string_view text, const std::string& file);

/// The results of a file whose rows have the hashes that stand beside them. Throws as parse_results,
/// also where a hash is not that of the rows, and Error{io}.
[[nodiscard]] BenchResults read_results(const std::string& path);

}  // namespace park::bench
