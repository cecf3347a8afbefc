#pragma once

#include <vector>

#include "park/bench/bench_results.h"
#include "park/core/json_writer.h"

namespace park::bench {

constexpr const char* kResultsSchema = "park.bench";

/// "manifest" and "suite" as members of the object that is open.
void write_manifest(JsonWriter&, const BenchResults&);

/// A suite in the form of its file, such that parse_suite reads it back.
void write_suite(JsonWriter&, const Suite&);

/// A list of metrics: name, unit, which way is better, and what it is.
void write_metrics(JsonWriter&, const std::vector<Metric>&);

/// "plugins" as a member of the object that is open; nothing where there is none.
void write_plugins(JsonWriter&, const std::vector<runs::PluginUsed>&);

/// A list of files.
void write_files(JsonWriter&, const std::vector<runs::DataFile>&);

}  // namespace park::bench
