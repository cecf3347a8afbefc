#include "cli/frame/version.h"

#include <filesystem>
#include <system_error>

#include "park/core/json_writer.h"
#include "park/runs/module.h"
#include "park_version_stamp.h"

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

/// Those that are linked, and the one that is loaded when it is needed, where it is there.
std::vector<std::string> module_names() {
  std::vector<std::string> all{"core", "envs", "heuristics", "runs", "workload"};
  std::error_code ignored;
  if (std::filesystem::exists(runs::module_path(), ignored)) all.emplace_back("agents (LibTorch)");
  return all;
}

}  // namespace

const Build& build_info() {
  static const Build build{.version = PARK_VERSION,
                           .commit = PARK_COMMIT,
                           .day = PARK_COMMIT_DAY,
                           .compiler = compiler_name() + ", " PARK_BUILD_TYPE,
                           .modules = module_names()};
  return build;
}

std::string version_text() {
  const Build& build = build_info();
  std::string modules;
  for (const std::string& module : build.modules) modules += (modules.empty() ? "" : ", ") + module;
  return "park " + build.version + "\ncommit    " + build.commit + "\ncompiler  " + build.compiler +
         "\nmodules   " + modules + '\n';
}

std::string version_json() {
  const Build& build = build_info();
  JsonWriter json;
  json.begin_object().member("version", build.version).member("commit", build.commit);
  json.member("compiler", build.compiler).key("modules").values(build.modules);
  return json.end_object().take();
}

}  // namespace park::cli
