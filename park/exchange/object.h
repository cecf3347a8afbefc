#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/files/durable.h"

namespace park::exchange {

constexpr const char* kObjectSchema = "park.object";
constexpr int kObjectVersion = 1;                                ///< version of the manifest's form
constexpr const char* kObjectFile = "object.json";               ///< the manifest of an object
constexpr std::uint64_t kMostManifest = std::uint64_t{1} << 20;  ///< bytes
constexpr std::size_t kMostFiles = 64;

/// One file of an object.
struct ObjectFile {
  std::string name{};  ///< without folder
  std::uint64_t bytes = 0;
  std::string sha256{};  ///< 64 hexadecimal digits
};

/// What an object is and which files it has. The SHA-256 of its text is the hash of the object, so
/// that the hash covers every byte.
struct ObjectManifest {
  std::string kind{};  ///< checkpoint, suite or results
  std::string name{};  ///< a valid name: see is_name
  std::string park{};  ///< version of Park that published it
  std::vector<ObjectFile> files{};

  /// The bytes of all files.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

/// A manifest with the bytes of its files, in its order.
struct Object {
  ObjectManifest manifest{};
  files::NamedBytes files{};
};

/// 1 to 64 letters, digits, '.', '-' and '_', a letter or digit first; no hash, and not the name of
/// the manifest. Names of files follow the same rule: none leads out of its folder.
[[nodiscard]] bool is_name(std::string_view) noexcept;
/// 64 hexadecimal digits in lower case.
[[nodiscard]] bool is_hash(std::string_view) noexcept;

/// The text of kObjectFile: the same manifest gives the same bytes.
[[nodiscard]] std::string manifest_text(const ObjectManifest&);
/// Throws Error{bad_file}: no JSON, another schema, a newer form, or a line per violation. `file` is
/// the name in errors.
[[nodiscard]] ObjectManifest parse_manifest(std::string_view text, const std::string& file);

/// Reads what is to be published and checks it as its readers do. `path` is a checkpoint, a run's
/// folder or the name of a bundled checkpoint; a suite's file; a results.json or its folder.
/// Without `name` it is that of the suite, or of the folder. Throws Error{bad_file},
/// Error{invalid_config} or Error{io} in one line.
[[nodiscard]] Object read_object(const std::string& path, const std::string& name,
                                 const std::string& park_version);

}  // namespace park::exchange
