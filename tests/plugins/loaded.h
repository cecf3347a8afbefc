#pragma once

#include <memory>
#include <string>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/plugins/load.h"

namespace park::test {

/// A plug-in that the build made, by its name.
[[nodiscard]] inline plugins::Plugin built(const std::string& name) {
  return plugins::load(PARK_TEST_PLUGINS "/lib" + name + ".so");
}

/// The one in C that was built with the first header.
[[nodiscard]] inline plugins::Plugin first_plugin() {
  return plugins::load(PARK_SOURCE_DIR "/tests/plugins/first/libfirst.so");
}

/// A registry of a plug-in alone.
[[nodiscard]] inline Registry registry_of(const plugins::Plugin& plugin) {
  Registry registry;
  registry.add_policy(
      {.name = "random", .summary = "uniform over legal actions", .reference = "a test"},
      [](const Spec& spec) { return std::make_unique<RandomPolicy>(spec); });
  plugin.add_to(registry);
  return registry;
}

}  // namespace park::test
