#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/abr/traces/recordings.h"
#include "park/envs/abr/traces/trace_set.h"

namespace park::abr::traces {

/// How traces are shared out between training, validation and test.
struct SplitOptions {
  std::uint64_t train = 60, validation = 20;  ///< percent of the recordings; test has the others
  std::uint64_t most = 0;                     ///< traces that are kept of a recording; 0: all
  std::uint64_t seed = 1;
  std::string match = "*";  ///< only traces with such a name, as a shell's pattern
};

/// The traces of a phase.
struct SplitPart {
  const char* name;  ///< of its folder: "train", "validation", "test"
  std::size_t recordings = 0;
  std::vector<NetworkTrace> traces{};
};

/// Three parts, of which no two have traces of one recording.
struct Split {
  std::array<SplitPart, 3> parts{{{.name = "train"}, {.name = "validation"}, {.name = "test"}}};
};

/// Shares out the recordings of these traces. Each recording has a random place, by the seed and its
/// name; training gets the first ones and test the last ones. A trace that is a part of another one
/// of its recording is left out. The `most` longest ones of a recording stay, in random order where
/// they are equally long. `given` takes what is left out. Throws Error{bad_file} where a part is empty.
[[nodiscard]] Split split_traces(TraceSet& given, const SplitOptions&);

}  // namespace park::abr::traces
