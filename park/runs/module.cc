#include "park/runs/module.h"

#include <dlfcn.h>

#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/core/text.h"

namespace park::runs {
namespace {

/// The reason of the last failure in one line.
std::string reason() {
  const char* const text = dlerror();
  std::string line = text == nullptr ? "unknown reason" : text;
  return line.substr(0, line.find('\n'));
}

Module& open_module() {
  const std::filesystem::path path = module_path();
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::unavailable, "the training of networks is not available: " + what);
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    refuse("there is no " + path.string() +
           "; install Park's package for training or build it with LibTorch (docs/install.md)");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(reason());
  void* const symbol = dlsym(library, kModuleEntry);
  if (symbol == nullptr) refuse(reason());
  Module* const module = reinterpret_cast<ModuleEntry>(symbol)(kModuleVersion);
  if (module == nullptr) refuse(path.string() + " is of another version of Park");
  return *module;  // stays loaded: LibTorch cannot be unloaded
}

}  // namespace

std::filesystem::path module_path() { return library_dir() / "libpark_agents_module.so"; }

std::uint64_t network_version(const Module& module, const std::string& text) {
  const std::string name = parse_named(text).text;
  for (const PartInfo& network : module.networks())
    if (network.name == name) return network.version;
  return 1;
}

bool serves_any_lengths(const Module& module, const std::string& text) {
  const std::string name = parse_named(text).text;
  for (const PartInfo& network : module.networks())
    if (network.name == name) return network.any_lengths;
  return false;
}

std::string present_network(const Module& module, const std::string& text) {
  Value value = parse_named(text);
  for (const PartInfo& network : module.networks()) {
    if (!was_called(network, value.text)) continue;
    value.text = network.name;
    return to_text(value);
  }
  return text;
}

Module& load_module() {
  static Module& module = open_module();
  return module;
}

}  // namespace park::runs
