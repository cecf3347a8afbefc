#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "park/trees/program.h"

namespace park::trees {

/// What exported files share: ranks, links between elements, the choice level by level. It opens
/// the namespace `detail`.
extern const char* const kSharedCode;

/// A hexadecimal literal, which is exact.
[[nodiscard]] std::string hex_literal(double);
[[nodiscard]] std::string hex_literal(float);

/// The members of the struct Row that exported code reads.
class RowMembers {
 public:
  explicit RowMembers(const Spec& spec) : spec_(spec) {}

  /// The expression of a leaf, of the count of a group; adds the member.
  std::string leaf(std::uint32_t column);
  std::string count(std::int32_t group);
  /// The struct, and `visit`, which passes each member with its name.
  [[nodiscard]] std::string text();

 private:
  std::string identifier(const std::string& name);
  [[nodiscard]] const std::string& name_of(std::int32_t group) const {
    return spec_.observation.groups[static_cast<std::size_t>(group)].name;
  }

  const Spec& spec_;
  std::set<std::uint32_t> leaves_;
  std::set<std::int32_t> groups_;
  std::map<std::string, std::string> ids_;
};

/// The function `name` that computes the table of a program.
[[nodiscard]] std::string table_code(const Program&, const Heads::Head&, RowMembers&,
                                     const std::string& name);

}  // namespace park::trees
