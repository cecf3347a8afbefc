#pragma once

#include <memory>
#include <vector>

#include "agents/kit/algorithm.h"
#include "agents/kit/baseline.h"
#include "park/core/registry.h"
#include "park/runs/training_texts.h"

namespace park::agents {

[[nodiscard]] std::vector<runs::PartInfo> algorithms();
[[nodiscard]] std::vector<runs::PartInfo> baselines();

/// The texts with defaults filled in, in canonical form. Throws Error{unknown_name}, {syntax},
/// {invalid_config} with the field that is wrong or the parts that do not fit together.
[[nodiscard]] runs::TrainingTexts canonical(const Registry&, const runs::TrainingTexts&);

/// A baseline of a text such as "value(epochs=2)", whose value functions are networks of the text
/// `network`. Throws Error{unknown_name}, {syntax}, {invalid_config}.
[[nodiscard]] std::unique_ptr<Baseline> make_baseline(const std::string& text, const Spec&,
                                                      const std::string& network, const Rng& run);

/// An algorithm at its first iteration; a pure function of the texts and the seed. The registry
/// must outlive it. Throws as canonical.
[[nodiscard]] std::unique_ptr<Algorithm> make_algorithm(const Registry&, const runs::TrainingTexts&,
                                                        std::uint64_t seed);

}  // namespace park::agents
