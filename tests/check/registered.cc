#include "tests/check/registered.h"

#include "park/envs/envs.h"
#ifdef PARK_WITH_SYSTEMS
#include "systems/systems.h"
#endif

namespace park::test {

const Registry& full_registry() {
  static const Registry registry = [] {
    Registry r;
    envs::register_all(r);
#ifdef PARK_WITH_SYSTEMS
    systems::register_all(r);
#endif
    return r;
  }();
  return registry;
}

std::vector<std::string> simulated_names() {
  std::vector<std::string> names = full_registry().env_names();
  std::erase_if(names, [](const std::string& env) { return !full_registry().simulated(env); });
  return names;
}

const std::vector<check::Preset>& all_presets() {
  static const std::vector<check::Preset> all = [] {
    std::vector<check::Preset> presets;
    for (const std::string& env : simulated_names())
      for (check::Preset& p : check::read_presets(
               PARK_SOURCE_DIR "/park/envs/" + env + "/presets.txt", PARK_SOURCE_DIR "/tests/data"))
        presets.push_back(std::move(p));
    return presets;
  }();
  return all;
}

}  // namespace park::test
