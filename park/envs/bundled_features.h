#pragma once

#include <string_view>
#include <vector>

namespace park::envs {

/// The file features.txt of an environment's folder, which the library carries: what trees may ask
/// about beyond the leaves (park/trees/feature_list.h).
struct BundledFeatures {
  std::string_view env;  ///< the name of the folder
  std::string_view text;
};
/// The files in the order of the names.
[[nodiscard]] const std::vector<BundledFeatures>& bundled_features();

}  // namespace park::envs
