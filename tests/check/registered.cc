#include "tests/check/registered.h"

#include "park/envs/envs.h"

namespace park::test {

const Registry& full_registry() {
  static const Registry registry = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return registry;
}

const std::vector<check::Preset>& all_presets() {
  static const std::vector<check::Preset> all = [] {
    std::vector<check::Preset> presets;
    for (const std::string& env : full_registry().env_names())
      for (check::Preset& p : check::read_presets(
               PARK_SOURCE_DIR "/park/envs/" + env + "/presets.txt", PARK_SOURCE_DIR "/tests/data"))
        presets.push_back(std::move(p));
    return presets;
  }();
  return all;
}

}  // namespace park::test
