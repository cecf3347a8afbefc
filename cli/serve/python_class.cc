#include "cli/frame/plugins.h"
#include "systems/python_plugin/python_plugin.h"

namespace park::cli {

Plugin load_python_class(const std::string& text) {
  const python_plugin::PythonPlugin loaded(text);
  Plugin plugin{.name = loaded.name(),
                .version = loaded.version(),
                .file = text,
                .python = true,
                .add_to_registry = [loaded](Registry& registry) { loaded.add_to(registry); },
                .add_to_kinds = [](command::DataKinds&) {}};
  (loaded.is_policy() ? plugin.offer.policies : plugin.offer.environments) = {loaded.name()};
  return plugin;
}

}  // namespace park::cli
