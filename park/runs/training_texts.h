#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"

namespace park::runs {

/// The description of an algorithm, a baseline or a network.
struct PartInfo {
  std::string name, summary, reference;
  std::vector<FieldInfo> fields;
  std::uint64_t version = 1;  ///< networks: rises when the meaning of the weights changes
  std::vector<std::string> former_names{};  ///< names in files of earlier versions
};

[[nodiscard]] inline bool was_called(const PartInfo& part, std::string_view name) {
  return std::ranges::find(part.former_names, name) != part.former_names.end();
}

/// The parts of a training, as texts of the grammar of policies: reinforce(rollouts=16),
/// sequence_mean, ...
struct TrainingTexts {
  std::string env{}, algorithm = "ppo", baseline{}, network{};  ///< empty: what suits the rest best
  double adversarial = 0;  ///< share of the episodes that have misreporting users
};

}  // namespace park::runs
