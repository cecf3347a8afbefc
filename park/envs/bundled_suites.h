#pragma once

#include <string_view>
#include <vector>

namespace park::envs {

/// A file of an environment's folder that the library carries: a suite (suite.json, NAME.suite.json)
/// or the environment's part of the quick suite (quick.json).
struct BundledSuite {
  std::string_view file;  ///< from the top folder: park/envs/NAME/suite.json
  std::string_view text;
};
/// The suites in the order of the files' names.
[[nodiscard]] const std::vector<BundledSuite>& bundled_suites();

}  // namespace park::envs
