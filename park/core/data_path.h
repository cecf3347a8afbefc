#pragma once

#include <filesystem>

namespace park {

/// The folder of the bundled data (workloads, traces, checkpoints): PARK_DATA if it is set.
/// Otherwise the search starts at the file of this library: data/ beside it, <prefix>/share/park of
/// an installation, data/ of the source tree of a build. The working directory has no influence.
/// Throws Error{io} that names the places searched.
[[nodiscard]] std::filesystem::path data_dir();

/// What data_dir returns unless PARK_DATA is set, without a search. For a plug-in, which has this
/// library within it and lies anywhere. Before other threads ask.
void set_data_dir(std::filesystem::path);

/// The folder of this library and of libraries that are loaded on demand. Throws Error{io} if it
/// cannot be found.
[[nodiscard]] std::filesystem::path library_dir();

}  // namespace park
