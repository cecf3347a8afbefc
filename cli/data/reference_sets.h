#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/error.h"

namespace park::cli {

/// A file of a set, as it was published.
struct ReferenceFile {
  std::string sha256;
  std::uint64_t bytes;
  std::string name;  ///< relative to the set's folder; "." where the set is this file
};

/// Data of others that texts, tests and figures name and that is no part of Park (docs/data.md).
struct ReferenceSet {
  std::string name;
  std::string path;  ///< in the folder of all sets
  std::vector<ReferenceFile> files;

  /// The file in a folder that has the set, or in the set that is a file.
  [[nodiscard]] static std::filesystem::path file(const std::filesystem::path& set,
                                                  const ReferenceFile&);
};

/// The sets that Park knows: reference_data.txt of the bundled data. Throws Error{io} and
/// Error{bad_file} with the line.
[[nodiscard]] std::vector<ReferenceSet> reference_sets();
/// Reads the text of that file.
[[nodiscard]] std::vector<ReferenceSet> parse_reference_sets(const std::string& text);

/// What of a set is at a path.
struct ReferenceCheck {
  std::size_t good = 0, missing = 0, changed = 0;
  Violations wrong;                 ///< one line per missing or changed file
  std::vector<std::string> others;  ///< files that are not of the set, sorted; hidden ones are not
};
/// Compares sizes and SHA-256 sums. `path` is the set's folder or file.
[[nodiscard]] ReferenceCheck check_reference(const ReferenceSet&,
                                             const std::filesystem::path& path);

/// Copies the files of a set that are not yet at `to`, each whole, and synced to the disk. Files are
/// checked as they are copied. Throws Error{bad_file} where one has changed meanwhile and Error{io}.
/// Returns the number of files that were written.
std::size_t copy_reference(const ReferenceSet&, const std::filesystem::path& from,
                           const std::filesystem::path& to);

}  // namespace park::cli
