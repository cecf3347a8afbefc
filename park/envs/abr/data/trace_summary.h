#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/core/json_writer.h"
#include "park/envs/abr/network_trace.h"

namespace park::abr::traces {

/// The members `all` and `traces` of the open object. REQUIRES a trace.
void write_trace_summaries(JsonWriter&, const std::vector<NetworkTrace>&);
/// A table for people: a line per trace.
[[nodiscard]] std::string trace_summary_text(const std::vector<NetworkTrace>&, std::size_t width);

}  // namespace park::abr::traces
