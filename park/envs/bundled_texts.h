#pragma once

#include <string_view>
#include <vector>

namespace park::envs {

/// A file of an environment's folder that the library carries.
struct BundledText {
  std::string_view file;  ///< from the top folder: park/envs/NAME/suite.json
  std::string_view text;
};
// Each in the order of the files' names.
/// Suites and parts of suites of several environments (suite.json, NAME.suite.json).
[[nodiscard]] const std::vector<BundledText>& bundled_suites();
/// Lists of features (features.txt): what trees may ask about beyond the leaves
/// (park/trees/feature_list.h).
[[nodiscard]] const std::vector<BundledText>& bundled_features();

}  // namespace park::envs
