#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "park/exchange/object.h"

namespace park::exchange {

/// Objects in a folder:
///
///     objects/HASH/object.json   the manifest, whose SHA-256 is HASH
///     objects/HASH/FILE          each file of the manifest
///     names/NAME                 the hash of the object that has this name now
///
/// Everything may come from others. So reading follows no symbolic link below the folder, opens
/// regular files alone, and compares every size and hash before anything is returned.
class FolderStore {
 public:
  explicit FolderStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Writes the object whole and lets its name stand for it; returns the hash. An object that is
  /// there already is checked and left. Throws Error{invalid_config} where the name stands for
  /// another object and `overwrite` is false, Error{io} and Error{unavailable}.
  std::string put(const Object&, bool overwrite);

  /// The object of a hash or a name. Throws Error{unknown_name} where there is none, Error{bad_file}
  /// in one line where it is not exactly what its hash says or has more than `most_bytes`.
  [[nodiscard]] Object get(const std::string& hash_or_name, std::uint64_t most_bytes) const;

  /// The hash that a name or a hash stands for. Throws as above.
  [[nodiscard]] std::string resolve(const std::string& hash_or_name) const;

 private:
  std::filesystem::path folder_;
};

/// The paths below the folder of a store that an object lies at.
[[nodiscard]] std::string object_path(const std::string& hash);
[[nodiscard]] std::string name_path(const std::string& name);

}  // namespace park::exchange
