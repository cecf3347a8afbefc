#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "park/core/json_writer.h"

namespace park::bridge {

/// Writes a file that its owner alone can read, by way of a temporary one. Throws
/// Failed{invalidConfig}.
void write_secret_file(const std::string& path, std::string_view text);

/// The contents of a file. Throws Failed{invalidConfig} if it cannot be read and, with `secret`,
/// {notAllowed} if others can read it.
[[nodiscard]] std::string read_small_file(const std::string& path, bool secret);

/// Writes a secret file with one JSON object: schema, version 1 and the members that `add` adds.
/// Returns its text.
std::string write_secret_document(const std::string& path, std::string_view schema,
                                  const std::function<void(JsonWriter&)>& add);
/// The texts among the members of such a file, by their names. Throws as read_small_file, and
/// Failed{invalidConfig} if it is of another schema or version.
[[nodiscard]] std::map<std::string, std::string> read_secret_document(const std::string& path,
                                                                      std::string_view schema);

}  // namespace park::bridge
