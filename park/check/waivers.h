#pragma once

#include <span>
#include <string>
#include <string_view>

#include "park/check/subject.h"

namespace park::check {

/// A property that environments of a kind do not owe, and why. One that is simulated here and
/// replayable owes every one.
struct Waiver {
  bool (*applies)(const Subject&);
  std::string_view property;
  std::string_view why;
};
[[nodiscard]] std::span<const Waiver> waivers();

/// Why a property is waived for the subject, or "".
[[nodiscard]] std::string waiver(std::string_view property, const Subject&);

}  // namespace park::check
