// Makes a plug-in of classes as they stand in Park's tree. One line in one source, in place of the
// registration:
//
//     PARK_PLUGIN(MyEnv, MyPolicy)
//
// takes environments, running systems, policies and importers in any number and order. What a class
// is follows from its base: Env, SystemEnv, Policy or command::ImportAction. The class has the
// members that Registry::add_env, add_system and add_policy ask for (docs/new_env.md,
// docs/new_policy.md). For importers see importer.h. The function park_add_plugin of Park's CMake
// package compiles and links the plug-in, and sets PARK_PLUGIN_NAME, PARK_PLUGIN_VERSION and
// PARK_PLUGIN_LICENCE.
//
// The classes are compiled with Park's core inside the plug-in. The host sees C tables alone, so
// the plug-in works with other releases of Park, of the compiler and of the C++ library.
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>
#include <vector>

#include "park/core/data_path.h"
#include "park/plugin/env.h"
#include "park/plugin/importer.h"
#include "park/plugin/policy.h"
#include "park/plugin/system.h"

namespace park::plugin {

template <class T>
concept EnvClass = std::derived_from<T, Env> && requires {
  typename T::Config;
};
template <class T>
concept SystemClass = std::derived_from<T, SystemEnv> && requires {
  typename T::Config;
};
template <class T>
concept PolicyClass = std::derived_from<T, Policy>;
template <class T>
concept ImporterClass = std::derived_from<T, command::ImportAction>;
template <class T>
concept Pluggable = EnvClass<T> || SystemClass<T> || PolicyClass<T> || ImporterClass<T>;

/// What a plug-in offers.
struct Offer {
  std::vector<const ParkEnvType*> envs{};
  std::vector<const ParkSystemType*> systems{};
  std::vector<const ParkPolicyType*> policies{};
  std::vector<const ParkImporterType*> importers{};

  template <Pluggable T>
  void add(Memory& memory) {
    if constexpr (EnvClass<T>)
      envs.push_back(env_type<T>(memory));
    else if constexpr (SystemClass<T>)
      systems.push_back(system_type<T>(memory));
    else if constexpr (PolicyClass<T>)
      policies.push_back(policy_type<T>(memory));
    else
      importers.push_back(importer_type<T>(memory));
  }
  void write(ParkPlugin& to, Memory& memory) const {
    to.envs = memory.keep(envs);
    to.env_count = envs.size();
    to.systems = memory.keep(systems);
    to.system_count = systems.size();
    to.policies = memory.keep(policies);
    to.policy_count = policies.size();
    to.importers = memory.keep(importers);
    to.importer_count = importers.size();
  }
};

/// The plug-in of these classes, which exists as long as the process. Where a class throws while it
/// describes itself, the result is nullptr, and the host is told the reason. Called once.
template <Pluggable... Classes>
[[nodiscard]] const ParkPlugin* offer(const char* name, const char* version, const char* licence,
                                      const ParkHost& host) noexcept {
  try {
    static Memory memory;
    static auto plugin = sized<ParkPlugin>();
    if (*host.data_folder != '\0') set_data_dir(host.data_folder);
    Offer all;
    (all.add<Classes>(memory), ...);
    plugin.abi = PARK_PLUGIN_ABI;
    plugin.name = name;
    plugin.version = version;
    plugin.licence = licence;
    all.write(plugin, memory);
    return &plugin;
  } catch (const std::exception& e) {
    host.refuse(host.self, e.what());
  } catch (...) {
    host.refuse(host.self, "something was thrown that is no std::exception");
  }
  return nullptr;
}

}  // namespace park::plugin

#ifndef PARK_PLUGIN_NAME
#define PARK_PLUGIN_NAME "unnamed"
#endif
#ifndef PARK_PLUGIN_VERSION
#define PARK_PLUGIN_VERSION "0"
#endif
#ifndef PARK_PLUGIN_LICENCE
#define PARK_PLUGIN_LICENCE "NOASSERTION"
#endif

#define PARK_PLUGIN(...)                                                              \
  PARK_PLUGIN_NOTE(PARK_PLUGIN_NAME, PARK_PLUGIN_VERSION, PARK_PLUGIN_LICENCE);       \
  extern "C" PARK_PLUGIN_EXPORT const ParkPlugin* park_plugin(std::uint32_t,          \
                                                              const ParkHost* host) { \
    return ::park::plugin::offer<__VA_ARGS__>(PARK_PLUGIN_NAME, PARK_PLUGIN_VERSION,  \
                                              PARK_PLUGIN_LICENCE, *host);            \
  }                                                                                   \
  static_assert(true)
