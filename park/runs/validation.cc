#include "park/runs/validation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "park/core/error.h"

namespace park::runs {
namespace {

// As of `park run`: one number, since a network's outputs may depend on the rows of a batch.
constexpr std::uint32_t kSlots = 16;

/// In the order of episodes, so that the sum does not depend on which one ends first.
ValidationResult moments(const std::vector<double>& values) {
  ValidationResult result;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) result.mean += v / n;
  for (const double v : values) result.sd += (v - result.mean) * (v - result.mean);
  result.sd = std::sqrt(result.sd / std::max(1.0, n - 1));
  return result;
}

}  // namespace

void check_validation(const TrainSettings& settings, const Registry& registry) {
  if (settings.validate_on.empty()) return;
  const Spec trained = registry.spec(settings.env), validated = registry.spec(settings.validate_on);
  const std::string& metric = trained.metrics.front().name;
  if (layout_hash(trained) != layout_hash(validated) || trained.name != validated.name)
    throw Error(Errc::invalid_config, "validate_on: " + settings.validate_on +
                                          " has another layout than " + settings.env);
  if (validated.metrics.front().name != metric)
    throw Error(Errc::invalid_config, "validate_on: its first metric is " +
                                          validated.metrics.front().name + ", that of " +
                                          settings.env + " is " + metric);
}

std::optional<ValidationResult> validate(const Registry& registry, const TrainSettings& settings,
                                         Policy& policy, const std::function<bool()>& stop) {
  const Rng phase = phase_rng(settings.seed, Phase::validate);
  const RandomEpisodes episodes(phase, {.count = settings.validation_episodes});
  const EnvOfText env = registry.env(settings.validation_env());
  const std::uint64_t most = env.traits().system ? 1 : kSlots;
  const auto slots = static_cast<std::uint32_t>(std::min(most, settings.validation_episodes));
  const auto stream = env.stream(episodes, {.slots = slots});
  std::vector<double> values(settings.validation_episodes);
  bool stopped = false;
  play(*stream, policy, phase.split("actions"), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      values[d.ended[i].episode.id] = d.metrics_of(i).front();
    return !(stopped = stop());
  });
  if (stopped) return {};
  return moments(values);
}

}  // namespace park::runs
