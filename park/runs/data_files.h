#pragma once

#include <filesystem>
#include <vector>

#include "park/runs/manifest.h"

namespace park::runs {

/// Name, size and hash of each file. Throws Error{io} with the path and the reason.
[[nodiscard]] std::vector<DataFile> describe_files(const std::vector<std::filesystem::path>&);

}  // namespace park::runs
