#include "systems/python_plugin/interpreter.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "park/core/data_path.h"

namespace park::python_plugin {

std::string interpreter() {
  const char* const named = std::getenv("PARK_PYTHON");
  if (named != nullptr && *named != '\0') return named;
  const std::filesystem::path beside = library_dir() / "python3";
  std::error_code ignored;
  return std::filesystem::exists(beside, ignored) ? beside.string() : "python3";
}

}  // namespace park::python_plugin
