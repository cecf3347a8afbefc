#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/files/byte_source.h"

namespace park::files {

/// A value of a JSON text with the line that it begins on; of an array or object the line of its
/// bracket. Numbers of an array are kept apart from its other elements: they may be many.
struct JsonValue {
  enum class Kind { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  std::uint64_t line = 0;
  double number = 0;
  bool yes = false;
  std::string text{};
  std::vector<double> numbers{};    ///< numbers of an array
  std::vector<std::string> keys{};  ///< keys of an object: keys[i] is the key of items[i]
  std::vector<JsonValue> items{};

  /// The member of an object, or null; the first one where there are several.
  [[nodiscard]] const JsonValue* find(std::string_view key) const noexcept;
  [[nodiscard]] std::string_view kind_text() const noexcept;
};

/// Reads a JSON object from a stream, one part at a time: the elements of the array `parts` one by
/// one, all other members whole. Holds one of these at a time. For files that users write, which
/// may be larger than memory: violations name the line.
struct JsonParts {
  std::string_view parts;
  std::function<void(const JsonValue&)> on_part;
  std::function<void(std::string_view key, const JsonValue&)> on_member;
};

/// Returns the number of lines. Throws Error{bad_file} with the line and what is wrong where the
/// text is no JSON, no object, nested too deeply, or has a member twice.
std::uint64_t read_json_parts(ByteSource& source, const std::string& file, const JsonParts& parts);

}  // namespace park::files
