#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace park::cli {

/// What this binary was made from and contains. An empty text: that part is not in it.
struct Build {
  std::string version;   ///< of the project
  std::string commit;    ///< of git, "-dirty" where files differed; "unknown" outside a checkout
  std::string day;       ///< of the commit, as 2026-01-31; empty where that is unknown
  std::string compiler;  ///< name, version and build type
  std::vector<std::string> modules;
  /// Vector instructions that every processor must have to run it. Networks use wider ones where they find them.
  std::vector<std::string> instruction_sets;
  std::string
      libtorch{};  ///< of the module that trains, if it is there; the version it was built with
  std::string capnproto{};  ///< of the bridge
  std::string zeromq{};     ///< of the bridge
};

[[nodiscard]] const Build& build_info();

/// For people and as JSON; `environments` is how many are in it, those of plug-ins left out.
[[nodiscard]] std::string version_text(std::size_t environments);
[[nodiscard]] std::string version_json(std::size_t environments);

}  // namespace park::cli
