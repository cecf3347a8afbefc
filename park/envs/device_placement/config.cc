#include "park/envs/device_placement/config.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "park/core/data_path.h"
#include "park/core/text.h"

namespace park::device_placement {
namespace {

constexpr std::array<std::string_view, 4> kFamilies{"random", "branches", "recurrences", "layered"};
constexpr std::array<std::string_view, 5> kBundled{"inception_v3", "googlenet", "resnet50",
                                                   "transformer", "lstm"};

}  // namespace

void DevicePlacementConfig::check(const DevicePlacementConfig& c, Violations& bad) {
  if (c.graph.empty()) bad.add("graph = \"\" must name a family, a bundled network or a file");
  const auto devices = static_cast<std::size_t>(c.devices);
  if (!c.speeds.empty() && c.speeds.size() != devices)
    bad.add("speeds has " + std::to_string(c.speeds.size()) + " values; allowed are none or one " +
            "for each of the devices = " + std::to_string(c.devices));
  if (c.memory * c.devices < 1)
    bad.add("memory = " + number_text(c.memory) + " must be at least 1 / devices = 1 / " +
            std::to_string(c.devices) + ": the graph would not fit on all of them together");
}

bool DevicePlacementConfig::generated() const noexcept {
  return std::ranges::find(kFamilies, graph) != kFamilies.end();
}

std::string DevicePlacementConfig::graph_file() const {
  if (std::ranges::find(kBundled, graph) != kBundled.end())
    return (data_dir() / "graphs" / (graph + ".json")).string();
  return graph;
}

}  // namespace park::device_placement
