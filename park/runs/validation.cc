#include "park/runs/validation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "park/core/error.h"
#include "park/runs/mixture.h"

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

/// The first metric of each episode; fewer where `stop` asked for an end.
std::vector<double> played(const Registry& registry, const std::string& text, const Rng& phase,
                           std::uint64_t count, Policy& policy, const std::function<bool()>& stop) {
  const RandomEpisodes episodes(phase, {.count = count});
  const EnvOfText env = registry.env(text);
  const std::uint64_t most = env.traits().system ? 1 : kSlots;
  const auto slots =
      static_cast<std::uint32_t>(std::min({most, count, std::uint64_t{policy.most_slots()}}));
  const auto stream = env.stream(episodes, {.slots = slots});
  std::vector<double> values(count);
  bool stopped = false;
  play(*stream, policy, phase.split("actions"), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      values[d.ended[i].episode.id] = d.metrics_of(i).front();
    return !(stopped = stop());
  });
  return stopped ? std::vector<double>() : values;
}

std::optional<ValidationResult> validate_mixture(const Registry& registry,
                                                 const TrainSettings& settings, Policy& policy,
                                                 const std::function<bool()>& stop) {
  const std::vector<MixturePart> parts = mixture_parts(settings.mixture.parts);
  const std::uint64_t count =
      std::max<std::uint64_t>(1, settings.validation_episodes / parts.size());
  const Rng phase = phase_rng(settings.seed, Phase::validate);
  std::vector<double> figures;
  ValidationResult result;
  double weights = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Rng own = phase.split("mixture").split(p);
    const std::vector<double> ours = played(registry, parts[p].env, own, count, policy, stop);
    if (ours.empty()) return {};
    figures.push_back(moments(ours).mean);
    if (!settings.mixture.scale_by.empty()) {
      const auto other = registry.policy(settings.mixture.scale_by, registry.spec(parts[p].env));
      const std::vector<double> theirs = played(registry, parts[p].env, own, count, *other, stop);
      if (theirs.empty()) return {};
      const double scale = std::abs(moments(theirs).mean);
      if (scale > 0) figures.back() /= scale;
    }
    result.mean += parts[p].weight * figures.back();
    weights += parts[p].weight;
  }
  result.mean /= weights;
  result.sd = moments(figures).sd;
  return result;
}

}  // namespace

bool validates_mixture(const TrainSettings& settings) {
  return !settings.mixture.empty() && settings.validate_on.empty();
}

Spec validation_spec(const Registry& registry, const TrainSettings& settings) {
  return validates_mixture(settings) ? training_spec(registry, settings.env, settings.mixture)
                                     : registry.spec(settings.validation_env());
}

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
  if (validates_mixture(settings)) return validate_mixture(registry, settings, policy, stop);
  const Rng phase = phase_rng(settings.seed, Phase::validate);
  const std::vector<double> values = played(registry, settings.validation_env(), phase,
                                            settings.validation_episodes, policy, stop);
  if (values.empty()) return {};
  return moments(values);
}

}  // namespace park::runs
