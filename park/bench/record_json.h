#pragma once

#include <string>
#include <string_view>

#include "park/bench/bench_record.h"

namespace park::bench {

/// results.json (docs/benchmarks.md): the record and every figure that follows from it.
[[nodiscard]] std::string record_json(const BenchRecord&);

/// Reads the record out of such a text; the figures that follow from it are not looked at. Throws
/// Error{bad_file}: no JSON, another schema, a newer version, or a line per violation.
[[nodiscard]] BenchRecord parse_record(std::string_view text, const std::string& file);

/// The record of a file. Throws as parse_record, and Error{io}.
[[nodiscard]] BenchRecord read_record(const std::string& path);

/// Of an entry's rows: a changed, lost or exchanged one changes it.
[[nodiscard]] std::string rows_hash(const EnvFacts&, const Entry&);

}  // namespace park::bench
