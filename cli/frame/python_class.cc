#include "cli/frame/plugins.h"
#include "park/core/error.h"
#if PARK_HAS_BRIDGE
#include "systems/python_plugin/python_plugin.h"
#endif

namespace park::cli {

#if PARK_HAS_BRIDGE
Plugin load_python_class(const std::string& text) {
  const python_plugin::PythonPlugin loaded(text);
  Plugin plugin{.name = loaded.name(), .version = loaded.version(), .file = text, .python = true};
  (loaded.is_policy() ? plugin.offer.policies : plugin.offer.environments) = {loaded.name()};
  plugin.add_to_registry = [loaded](Registry& registry) { loaded.add_to(registry); };
  plugin.add_to_kinds = [](command::DataKinds&) {};
  return plugin;
}
#else
Plugin load_python_class(const std::string&) {
  throw Error(Errc::unavailable,
              "classes of Python are served over the bridge, which this park was built without");
}
#endif

}  // namespace park::cli
