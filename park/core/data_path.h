#pragma once

#include <filesystem>

namespace park {

/// The folder of the bundled data (workloads, traces, checkpoints): PARK_DATA where it is set, else
/// found from the file of this library: data/ beside it, <prefix>/share/park where it is installed,
/// data/ of the source tree where it is built. The working directory plays no part. Throws
/// Error{io} that names what was looked for.
[[nodiscard]] std::filesystem::path data_dir();

/// The folder of this library and of libraries that are loaded on demand. Throws Error{io} if it
/// cannot be found.
[[nodiscard]] std::filesystem::path library_dir();

}  // namespace park
