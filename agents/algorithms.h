#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/algorithm.h"
#include "park/core/config.h"
#include "park/core/registry.h"

namespace park::agents {

/// What an algorithm or a baseline tells about itself.
struct PartInfo {
  std::string name, summary, reference;
  std::vector<FieldInfo> fields;
};
[[nodiscard]] std::vector<PartInfo> algorithms();
[[nodiscard]] std::vector<PartInfo> baselines();

/// What is trained, as texts of the grammar of policies: reinforce(rollouts=16), sequence_mean, ...
struct TrainingTexts {
  std::string env{}, algorithm = "ppo", baseline{}, network{};  ///< empty: what suits the rest best
};
/// The texts with defaults filled in, in canonical form. Throws Error{unknown_name}, {syntax},
/// {invalid_config} with the field that is wrong or the parts that do not fit together.
[[nodiscard]] TrainingTexts canonical(const Registry&, const TrainingTexts&);

/// An algorithm at its first iteration; a pure function of the texts and the seed. The registry
/// must outlive it. Throws as canonical.
[[nodiscard]] std::unique_ptr<Algorithm> make_algorithm(const Registry&, const TrainingTexts&,
                                                        std::uint64_t seed);

}  // namespace park::agents
