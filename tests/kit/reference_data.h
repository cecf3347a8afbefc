#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace park::test {

/// The folder of all reference data (docs/data.md): PARK_REFERENCE_DATA, else shared/data
/// beside the checkout. It may be missing.
inline std::filesystem::path reference_root() {
  const char* const chosen = std::getenv("PARK_REFERENCE_DATA");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return std::filesystem::path(PARK_SOURCE_DIR).parent_path() / "shared" / "data";
}

/// The paths of all sets by their names, which are those of experiments/reference_data.txt.
inline std::map<std::string, std::filesystem::path> reference_sets() {
  std::map<std::string, std::filesystem::path> sets;
  std::ifstream file(PARK_SOURCE_DIR "/experiments/reference_data.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::string name, path;
    std::istringstream(line) >> name >> path;
    sets[name] = reference_root() / path;
  }
  return sets;
}

/// The path of a set, which may be missing. Throws std::out_of_range: there is no such name.
inline std::filesystem::path reference_data(const std::string& name) {
  return reference_sets().at(name);
}

}  // namespace park::test
