#pragma once

#include <filesystem>
#include <vector>

#include "park/runs/manifest.h"

namespace park::runs {

/// Size and hashes of bytes under a name without folder.
[[nodiscard]] DataFile describe_bytes(std::string name, std::string_view bytes);

/// Whether two files have the same bytes, by size and hashes; names do not count. SHA-256 counts
/// where both have one.
[[nodiscard]] bool same_bytes(const DataFile&, const DataFile&);

/// The same of each file, under its name. Throws Error{io} with the path and the reason.
[[nodiscard]] std::vector<DataFile> describe_files(const std::vector<std::filesystem::path>&);

}  // namespace park::runs
