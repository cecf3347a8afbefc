#pragma once

#include <cstddef>
#include <string>

#include "park/judge/judge.h"

namespace park::judge {

/// What the author of a candidate may read: of the first set of a judgement, never of hidden inputs.
[[nodiscard]] std::string feedback_of(const Judgement&);

/// "3 of 20 inputs are failed and count as the worst".
[[nodiscard]] std::string plural_inputs(std::size_t failed, std::size_t of);

}  // namespace park::judge
