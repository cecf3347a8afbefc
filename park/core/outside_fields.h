#pragma once

#include <string_view>
#include <vector>

#include "park/core/config.h"

namespace park {

/// Reads the fields of a text by descriptions that are known at run time only, such as those of a
/// plug-in. Rules and messages are those of parse_config. Returns the canonical text under `name`:
/// the fields that differ from their default, in the order of `fields`. Types are those of
/// FieldInfo; the range of an integer is that of i64. Throws Error{invalid_config} with a line for
/// every violation.
[[nodiscard]] Value read_outside_fields(std::string_view name, const Value& text,
                                        const std::vector<FieldInfo>& fields);

/// Throws Error{invalid_config} if a description contradicts itself. It may not have an unknown
/// type, a name that is no bare word or occurs twice, or a default that the field itself refuses.
/// `where` begins each line.
void check_outside_fields(std::string_view where, const std::vector<FieldInfo>& fields);

}  // namespace park
