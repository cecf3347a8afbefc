#pragma once

#include <string>

#include "park/judge/judge.h"

namespace park::judge {

/// What the author of a candidate may read: of the first set of a judgement, never of hidden inputs.
[[nodiscard]] std::string feedback_of(const Judgement&);

}  // namespace park::judge
