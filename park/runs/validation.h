#pragma once

#include <functional>
#include <optional>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/runs/manifest.h"

namespace park::runs {

/// Throws Error{invalid_config} if policies of the settings' environment do not play in that of
/// its validations.
void check_validation(const TrainSettings&, const Registry&);

/// Plays the validation episodes of the settings' seed to their end, without the horizon of
/// training. Returns mean and deviation of the environment's first metric; nothing if `stop` asked
/// for an end.
struct ValidationResult {
  double mean = 0, sd = 0;
};
[[nodiscard]] std::optional<ValidationResult> validate(const Registry&, const TrainSettings&,
                                                       Policy&, const std::function<bool()>& stop);

}  // namespace park::runs
