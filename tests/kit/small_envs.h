#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "park/check/presets.h"
#include "park/core/registry.h"

namespace park::test {

/// The small text of every environment, from the folders of these.
inline std::vector<std::string> small_envs() {
  std::vector<std::string> all;
  for (const auto& folder : std::filesystem::directory_iterator(PARK_SOURCE_DIR "/park/envs")) {
    const std::filesystem::path file = folder.path() / "presets.txt";
    if (!std::filesystem::exists(file)) continue;
    for (const check::Preset& preset : check::read_presets(file, ""))
      if (preset.is_small) all.push_back(preset.text);
  }
  return all;
}

/// Whether no head of an action chooses among candidates.
inline bool only_continuous(const Spec& spec) {
  return std::ranges::none_of(spec.action.leaves,
                              [](const Leaf& leaf) { return leaf.dtype == DType::i32; });
}

/// The policies that play a text: one of another configuration of the environment says `unavailable`.
inline std::vector<std::string> policies_that_play(const Registry& registry,
                                                   const std::string& env) {
  const Spec spec = registry.spec(env);
  std::vector<std::string> all;
  for (const std::string& policy : registry.policies_for(spec)) {
    try {
      static_cast<void>(registry.policy(policy, spec));
      all.push_back(policy);
    } catch (const Error& e) {
      if (e.code() != Errc::unavailable) throw;
    }
  }
  return all;
}

}  // namespace park::test
