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

/// Whether validations play all environments of a mixture: where no other one was named.
[[nodiscard]] bool validates_mixture(const TrainSettings&);
/// The spec of what plays in validations.
[[nodiscard]] Spec validation_spec(const Registry&, const TrainSettings&);

/// Plays the validation episodes of the settings' seed to their end, without the horizon of
/// training. Returns mean and deviation of the environment's first metric; nothing if `stop` asked
/// for an end.
/// The environments of a mixture share the episodes. The mean of each is divided by the absolute
/// mean of Mixture::scale_by, where there is such a policy, on the same inputs. So the better one
/// stays better for metrics below 0. An absolute mean of 0 divides nothing. The result is the mean
/// of these figures by weight, and their deviation.
struct ValidationResult {
  double mean = 0, sd = 0;
};
[[nodiscard]] std::optional<ValidationResult> validate(const Registry&, const TrainSettings&,
                                                       Policy&, const std::function<bool()>& stop);

}  // namespace park::runs
