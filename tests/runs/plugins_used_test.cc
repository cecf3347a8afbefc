// Recorded plug-ins against those that are here.
#include "park/runs/plugins_used.h"

#include <gtest/gtest.h>

#include "park/runs/manifest.h"

namespace park::runs {
namespace plugins_used_test {

using Lines = std::vector<std::string>;

TEST(PluginsUsed, TheLinesNameWhatIsMissing) {
  const std::vector<PluginUsed> recorded{{"queue", "1.0", "libqueue.so", "ab12"},
                                         {"rules", "2", "my.rules:Shortest", ""}};
  EXPECT_EQ(lacking_plugins(recorded, recorded), Lines{});
  EXPECT_EQ(lacking_plugins({}, recorded), Lines{});
  EXPECT_EQ(lacking_plugins(recorded, {}),
            (Lines{"the plug-in queue 1.0 (libqueue.so, SHA-256 ab12) is not loaded; give --plugin "
                   "with that file",
                   "the plug-in rules 2 (my.rules:Shortest) is not loaded; give --plugin "
                   "my.rules:Shortest"}));
}

TEST(PluginsUsed, AnotherVersionIsALackAndOtherBytesAreNot) {
  const std::vector<PluginUsed> recorded{{"queue", "1.0", "libqueue.so", "ab12"}};
  const std::vector<PluginUsed> newer{{"queue", "1.1", "libqueue.so", "cd34"}};
  const std::vector<PluginUsed> rebuilt{{"queue", "1.0", "elsewhere.so", "cd34"}};
  EXPECT_EQ(lacking_plugins(recorded, newer),
            Lines{"the plug-in queue is of version 1.1 here; recorded is queue 1.0 (libqueue.so, "
                  "SHA-256 ab12)"});
  EXPECT_EQ(rebuilt_plugins(recorded, newer), Lines{});
  EXPECT_EQ(lacking_plugins(recorded, rebuilt), Lines{});
  EXPECT_EQ(
      rebuilt_plugins(recorded, rebuilt),
      Lines{"the plug-in queue 1.0 is another file than the recorded one: SHA-256 cd34 instead "
            "of ab12"});
}

TEST(PluginsUsed, ManifestsKeepThemAndOlderOnesHaveNone) {
  Manifest manifest;
  manifest.settings = {.env = "a", .algorithm = "b", .baseline = "c", .network = "d", .init = ""};
  manifest.plugins = {{"queue", "1.0", "libqueue.so", "ab12"}};
  std::string text = manifest_text(manifest);
  EXPECT_EQ(parse_manifest(text, "m").plugins, manifest.plugins);
  const std::size_t at = text.find("\"plugins\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 9, "\"another\"");
  EXPECT_TRUE(parse_manifest(text, "m").plugins.empty());
}

}  // namespace plugins_used_test
}  // namespace park::runs
