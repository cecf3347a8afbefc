#include "cli/frame/version.h"

#include <filesystem>
#include <system_error>

#include "park/command/strings.h"
#include "park/core/json_writer.h"
#include "park/plugin.h"
#include "park/runs/module.h"
#include "park_version_stamp.h"
#if PARK_HAS_BRIDGE
#include "bridge/transport/libraries.h"
#endif

namespace park::cli {
namespace {

std::string compiler_name() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GNU " __VERSION__;
#else
  return "unknown";
#endif
}

/// The module of LibTorch is loaded when it is needed, where it is there.
bool has_agents() {
  std::error_code ignored;
  return std::filesystem::exists(runs::module_path(), ignored);
}

/// Those that are linked, and the one that is loaded.
std::vector<std::string> module_names() {
  std::vector<std::string> all{"core", "envs", "heuristics", "runs", "workload"};
  if (PARK_HAS_BRIDGE) all.emplace_back("bridge");
  if (has_agents()) all.emplace_back("agents (LibTorch)");
  return all;
}

/// What the compiler was allowed to use; the names are those of the networks' kernels.
std::vector<std::string> required_instructions() {
  std::vector<std::string> all;
#ifdef __SSE2__
  all.emplace_back("sse2");
#endif
#ifdef __SSE4_2__
  all.emplace_back("sse4");
#endif
#ifdef __AVX2__
  all.emplace_back("avx2");
#endif
#ifdef __AVX512F__
  all.emplace_back("avx512");
#endif
#ifdef __ARM_NEON
  all.emplace_back("neon");
#endif
  return all;
}

Build look_up() {
  Build build{.version = PARK_VERSION,
              .commit = PARK_COMMIT,
              .day = PARK_COMMIT_DAY,
              .compiler = compiler_name() + ", " PARK_BUILD_TYPE,
              .modules = module_names(),
              .instruction_sets = required_instructions()};
  if (has_agents()) build.libtorch = PARK_LIBTORCH_VERSION;
#if PARK_HAS_BRIDGE
  build.capnproto = bridge::capnproto_version();
  build.zeromq = bridge::zeromq_version();
#endif
  return build;
}

std::string listed(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : command::joined(texts, ", ");
}

void member_or_null(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  text.empty() ? json.null() : json.value(text);
}

}  // namespace

const Build& build_info() {
  static const Build build = look_up();
  return build;
}

std::string version_text(std::size_t environments) {
  const Build& build = build_info();
  std::vector<std::string> libraries;
  for (const auto& [name, version] :
       {std::pair{"LibTorch ", &build.libtorch}, std::pair{"Cap'n Proto ", &build.capnproto},
        std::pair{"ZeroMQ ", &build.zeromq}})
    if (!version->empty()) libraries.push_back(name + *version);
  return "park " + build.version + "\ncommit        " + build.commit + "\ncompiler      " +
         build.compiler + "\ninstructions  " + listed(build.instruction_sets) + "\nmodules       " +
         listed(build.modules) + "\nlibraries     " + listed(libraries) +
         "\nplug-ins      interface " + std::to_string(PARK_PLUGIN_ABI) + "\nenvironments  " +
         std::to_string(environments) + '\n';
}

std::string version_json(std::size_t environments) {
  const Build& build = build_info();
  JsonWriter json;
  json.begin_object().member("version", build.version).member("commit", build.commit);
  json.member("compiler", build.compiler).key("modules").values(build.modules);
  json.key("instruction_sets").values(build.instruction_sets);
  member_or_null(json, "libtorch", build.libtorch);
  member_or_null(json, "capnproto", build.capnproto);
  member_or_null(json, "zeromq", build.zeromq);
  json.member("plugin_interface", PARK_PLUGIN_ABI).member("environments", environments);
  return json.end_object().take();
}

}  // namespace park::cli
