#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "park/trees/tree_policy.h"

namespace park::trees {

/// The rules of a file of trees by themselves: which legal values of a head they keep in a state.
/// Heads that are numbers have no such rules.
class ValueRules {
 public:
  /// Throws Error{io}, Error{bad_file} as TreePolicy does. Throws Error{invalid_config} where no
  /// head that compares its values has a rule.
  ValueRules(const std::string& file, const Spec&);

  /// A mark for each value, not 0 where the rules keep it; nothing where they keep all. `action`
  /// holds the choices of the earlier heads. The marks end with the next call.
  [[nodiscard]] std::span<const std::uint8_t> kept(std::size_t head, ConstRow observation,
                                                   ConstRow action,
                                                   std::span<const std::int32_t> values);

 private:
  ValueRules(const TreeFile&, const std::string& name, const Spec&);

  TreePolicy trees_;
};

}  // namespace park::trees
