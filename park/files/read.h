#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

namespace park::files {

/// A file, or a pipe to its end. `error` says why it could not be read: file_too_large where there
/// is more than `most_bytes`, is_a_directory ...
[[nodiscard]] std::string read_file(
    const std::filesystem::path&, std::error_code& error,
    std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

/// A whole regular file. Throws Error{io} with the path and the reason, and Error{bad_file} where
/// it is none or larger than that.
[[nodiscard]] std::string read_whole(const std::filesystem::path&, std::uint64_t most_bytes);

/// The regular files of a folder, sorted by name; hidden ones are left out. `field` names the
/// field in messages. Throws Error{io} if the folder cannot be read, Error{bad_file} if it
/// has no file.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                                          const std::string& field);
/// The text of a regular file that a field names. Throws Error{io}.
[[nodiscard]] std::string text_of(const std::filesystem::path& file, const std::string& field);

}  // namespace park::files
