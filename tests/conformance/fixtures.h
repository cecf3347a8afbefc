#pragma once

#include <string>

namespace park::test {

/// Replaces @workload@ and @arrivals@ in the text of a preset by files that the test program
/// writes: a workload for dag_scheduling of small jobs, whose tasks need different amounts of
/// processor and memory, and a list of arrivals of its jobs.
[[nodiscard]] std::string with_fixtures(std::string text);

}  // namespace park::test
