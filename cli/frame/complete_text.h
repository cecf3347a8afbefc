#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/candidates.h"
#include "park/core/config.h"

namespace park::cli {

/// How far a text of the grammar name(field=value,...) is typed, from its innermost open bracket.
struct TypedText {
  std::string name;                 ///< of the text; all of it where no bracket is open
  std::vector<std::string> fields;  ///< the fields whose values hold the innermost bracket
  bool inside = false;              ///< a bracket is open
  bool list = false;                ///< and it is that of a list
  std::vector<std::string> given;   ///< fields before the one that is typed
  std::string field;                ///< the field whose value is typed; "": its name is
  std::size_t begin = 0;            ///< where the word that is typed begins
};

[[nodiscard]] TypedText read_typed(std::string_view text);

/// The fields and values that fit inside the brackets of a text; `fields_of` gives the fields of a
/// name and may throw park::Error. Nothing outside of brackets.
[[nodiscard]] Candidates complete_fields(
    const std::string& text,
    const std::function<std::vector<FieldInfo>(const std::string& name)>& fields_of);

}  // namespace park::cli
