#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "park/check/presets.h"

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

}  // namespace park::test
