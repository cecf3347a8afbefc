#pragma once

#include <string>

#include "park/suite/bench_record.h"
#include "park/suite/changes.h"

namespace park::cli {

/// For people: a table per environment with the reported metrics, the scores and what it is to the
/// best baseline; then the scores over all environments, and what failed.
[[nodiscard]] std::string bench_text(const suite::BenchRecord&, std::size_t width);

/// The table of one environment alone, as Markdown, for documents.
[[nodiscard]] std::string bench_markdown(const suite::BenchRecord&, std::size_t env);

}  // namespace park::cli
