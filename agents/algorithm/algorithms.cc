// The algorithms and baselines by name. Two lists hold for each its summary, its fields and how it
// is made of a text; canonical prints texts in one form. A training makes the baseline first and
// hands it to the algorithm in its Task. The module of trainings calls canonical, infos and
// make_algorithm.
#include "agents/algorithm/algorithms.h"

#include <utility>

#include "agents/baseline/baselines.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/runs/mixture.h"

namespace park::agents {

const Algorithms& algorithms() {
  static const Algorithms all("algorithm", register_algorithms);
  return all;
}

runs::TrainingTexts canonical(const Registry& registry, const runs::TrainingTexts& texts) {
  runs::TrainingTexts all = texts;
  all.env = registry.canonical_env(texts.env);
  const Value algorithm = parse_named(texts.algorithm);
  const AlgorithmPart& part = algorithms().find(algorithm.text);
  all.algorithm = part.about.canonical(algorithm);
  if (all.baseline.empty()) all.baseline = part.baseline;
  const Value baseline = parse_named(all.baseline);
  const BaselinePart& compared = baselines().find(baseline.text);
  all.baseline = compared.about.canonical(baseline);
  if (!part.compares && all.baseline != part.baseline)
    throw Error(Errc::invalid_config, "algorithm " + part.about.info.name +
                                          ": learns from no baseline; allowed is " + part.baseline);
  check_fit(part.training(algorithm), compared.fewest_rollouts, registry,
            runs::training_envs(all.env, all.mixture));
  if (all.network.empty())
    all.network = default_network(runs::training_spec(registry, all.env, all.mixture));
  all.network = canonical_network(all.network);
  return all;
}

std::unique_ptr<Algorithm> make_algorithm(const std::string& text, Task task) {
  const Value algorithm = parse_named(text);
  return algorithms().find(algorithm.text).make(algorithm, std::move(task));
}

std::unique_ptr<Algorithm> make_algorithm(const Registry& registry,
                                          const runs::TrainingTexts& texts, std::uint64_t seed) {
  const runs::TrainingTexts t = canonical(registry, texts);
  const Rng run = phase_rng(seed, Phase::train);
  const Spec spec = runs::training_spec(registry, t.env, t.mixture);
  const auto value_network = [&](const Rng& rng) {
    return make_network(t.network, spec, Role::value, rng);
  };
  Task task{.registry = &registry,
            .env = t.env,
            .adversarial = t.adversarial,
            .guidance = t.guidance,
            .mixture = t.mixture,
            .run = run};
  task.network = make_network(t.network, spec, Role::policy, run.split("network"));
  task.baseline =
      make_baseline(t.baseline, {.spec = spec, .value_network = value_network, .run = run});
  return make_algorithm(t.algorithm, std::move(task));
}

}  // namespace park::agents
