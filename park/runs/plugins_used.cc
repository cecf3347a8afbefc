#include "park/runs/plugins_used.h"

#include <algorithm>

namespace park::runs {
namespace {

std::string about(const PluginUsed& plugin) {
  std::string text = plugin.name + ' ' + plugin.version + " (" + plugin.file;
  if (!plugin.sha256.empty()) text += ", SHA-256 " + plugin.sha256;
  return text + ')';
}

/// Calls `on_found` with each recorded plug-in and the one of its name, or nullptr.
template <class OnFound>
std::vector<std::string> lines_of(const std::vector<PluginUsed>& recorded,
                                  const std::vector<PluginUsed>& here, OnFound on_found) {
  std::vector<std::string> lines;
  for (const PluginUsed& was : recorded) {
    const auto is = std::ranges::find(here, was.name, &PluginUsed::name);
    const std::string line = on_found(was, is == here.end() ? nullptr : &*is);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::vector<std::string> lacking_plugins(const std::vector<PluginUsed>& recorded,
                                         const std::vector<PluginUsed>& here) {
  return lines_of(recorded, here, [](const PluginUsed& was, const PluginUsed* is) -> std::string {
    if (is == nullptr)
      return "the plug-in " + about(was) + " is not loaded; give --plugin " +
             (was.sha256.empty() ? was.file : "with that file");
    if (is->version != was.version)
      return "the plug-in " + was.name + " is of version " + is->version + " here; recorded is " +
             about(was);
    return "";
  });
}

std::vector<std::string> rebuilt_plugins(const std::vector<PluginUsed>& recorded,
                                         const std::vector<PluginUsed>& here) {
  return lines_of(recorded, here, [](const PluginUsed& was, const PluginUsed* is) -> std::string {
    if (is == nullptr || is->version != was.version || is->sha256 == was.sha256) return "";
    return "the plug-in " + was.name + ' ' + was.version +
           " is another file than the recorded one: SHA-256 " + is->sha256 + " instead of " +
           was.sha256;
  });
}

}  // namespace park::runs
