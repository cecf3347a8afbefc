#pragma once

#include <string>
#include <vector>

namespace park::cli {

/// What this binary was made from.
struct Build {
  std::string version;   ///< of the project
  std::string commit;    ///< of git, "-dirty" where files differed; "unknown" outside a checkout
  std::string day;       ///< of the commit, as 2026-01-31; empty where that is unknown
  std::string compiler;  ///< name, version and build type
  std::vector<std::string> modules;
};

[[nodiscard]] const Build& build_info();
[[nodiscard]] std::string version_text();
[[nodiscard]] std::string version_json();

}  // namespace park::cli
