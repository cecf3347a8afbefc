#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "park/check/subject.h"
#include "park/core/error.h"

namespace park::check {

/// What every environment owes. Its function adds a line for each thing that is wrong; what it
/// throws is a violation too.
struct Property {
  std::string_view name;
  std::string_view says;
  void (*check)(const Subject&, Violations&);
  bool long_runs = false;  ///< checked on texts with long episodes instead of the others
};
/// In the order in which they are best read: the spec, the rows, the actions, determinism, cost.
[[nodiscard]] std::span<const Property> properties();

enum class Verdict {
  ok,
  violated,
  not_applicable,  ///< an environment of this kind does not owe it
  not_checked,     ///< this program cannot check it
};
[[nodiscard]] std::string_view to_text(Verdict) noexcept;

/// What came out of the check of one property.
struct Finding {
  const Property* property = nullptr;
  Verdict verdict = Verdict::ok;
  std::string reason{};  ///< why it was not checked, or not in full; else empty
  Violations violations{};
};
/// What the environment throws is a violation. Throws Error{unavailable} if an environment
/// elsewhere is gone.
[[nodiscard]] Finding check_property(const Property&, const Subject&);

}  // namespace park::check
