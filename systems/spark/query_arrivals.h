#pragma once

#include <filesystem>

#include "park/core/error.h"

namespace park::spark {

/// Checks what park.spark.Workload will read: a CSV with the header `time_s,job`. A time is in
/// seconds, or `after`. A job is q1 to q22 of the tables in `data`, or 2g:1 to 2g:22 for the
/// sub-folder sf2. Adds a line for each violation (10 at most), each naming file and line.
void check_query_arrivals(const std::filesystem::path& arrivals, const std::filesystem::path& data,
                          Violations&);

}  // namespace park::spark
