// The plug-ins of a command line. The texts of --plugin and the places of plugins::find_places
// become one list, in the order of precedence, which is loaded once. After that a registry, the
// kinds of data and the manifests ask the plug-ins. Session owns it; commands call `used` and
// `check` for what they write and read.
#include "cli/frame/plugins.h"

#include <algorithm>
#include <utility>

#include "cli/frame/console.h"
#include "cli/frame/names.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/core/registry.h"
#include "park/core/text.h"
#include "park/files/read.h"
#include "park/files/sha256.h"
#include "park/plugins/elf_note.h"
#include "park/runs/plugins_used.h"

namespace park::cli {
namespace {

constexpr const char* kOption = "--plugin";
constexpr std::uint64_t kMostPluginBytes = std::uint64_t{4} << 30;

/// The first line, and how many there are more.
std::string one_line(const std::string& text) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() < 2) return text;
  return lines.front() + " (and " + plural(lines.size() - 1, "more violation") + ')';
}

bool has_name(const std::vector<std::string>& names, const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [&](const std::string& text) {
    try {
      return std::ranges::find(names, parse_text(text).text) != names.end();
    } catch (const Error&) {
      return false;  // a path, which the plug-ins do not have
    }
  });
}

}  // namespace

runs::PluginUsed describe(const Plugin& plugin) {
  if (plugin.python) return {plugin.name, plugin.version, plugin.file, ""};
  const std::filesystem::path path = plugin.file;
  return {plugin.name, plugin.version, path.filename().string(),
          files::sha256_text(files::read_whole(path, kMostPluginBytes))};
}

Plugin load_library(const std::filesystem::path& file) {
  const plugins::Plugin loaded = plugins::load(file);
  return {.name = loaded.name(),
          .version = loaded.version(),
          .file = file.string(),
          .offer = loaded.offer(),
          .add_to_registry = [loaded](Registry& registry) { loaded.add_to(registry); },
          .add_to_kinds = [loaded](command::DataKinds& kinds) { loaded.add_to(kinds); }};
}

void Plugins::fail(const std::string& where, bool found, const Error& error) {
  const std::string line = where + ": " + one_line(error.what());
  if (!found) throw Error(Errc::bad_file, line);
  console_->warn(line + "; it is left out");
}

template <class Work>
void Plugins::for_each(Work&& work) {
  load();
  for (auto entry = entries_.begin(); entry != entries_.end();) try {
      work(entry->plugin);
      ++entry;
    } catch (const Error& error) {
      fail(entry->where, entry->found, error);
      entry = entries_.erase(entry);
    }
}

/// Whether there is one of the name, which hides one that was found. Throws for one that was named.
bool Plugins::is_there(const std::string& name, const std::string& where, bool found) const {
  const auto same =
      std::ranges::find_if(entries_, [&](const Entry& other) { return other.plugin.name == name; });
  if (same == entries_.end()) return false;
  if (!found)
    throw Error(Errc::bad_file, "the plug-in " + name + " is already that of " + same->where);
  console_->debug(where + ": is hidden by " + same->where);
  return true;
}

/// `place`: of a file; nullptr for a class of Python.
void Plugins::load(const std::string& text, const plugins::Place* place) {
  const bool found = place != nullptr && place->found;
  const bool option = place == nullptr || place->from == plugins::Place::From::option;
  const std::string where = option ? kOption + (' ' + text) : text;
  try {
    if (place != nullptr && !place->problem.empty()) throw Error(Errc::bad_file, place->problem);
    // By the note first, so that no code of a hidden one runs.
    if (place != nullptr && is_there(plugins::read_elf_note(place->file).name, where, found))
      return;
    Plugin plugin = place != nullptr ? load_library(place->file) : load_python_class(text);
    if (is_there(plugin.name, where, found)) return;
    entries_.push_back({where, found, std::move(plugin)});
  } catch (const Error& error) {
    fail(where, found, error);
  }
}

void Plugins::load() {
  if (std::exchange(loaded_, true)) return;
  std::vector<std::string> files;
  for (const std::string& text : named_)
    if (!plugins::is_python_class(text)) files.push_back(text);
  for (const plugins::Place& place : plugins::find_places(files)) load(place.file.string(), &place);
  for (const std::string& text : named_)
    if (plugins::is_python_class(text)) load(text, nullptr);
}

void Plugins::add_to(Registry& registry) {
  for_each([&](const Plugin& plugin) { plugin.add_to_registry(registry); });
}

void Plugins::add_to(command::DataKinds& kinds) {
  for_each([&](const Plugin& plugin) { plugin.add_to_kinds(kinds); });
}

std::vector<runs::PluginUsed> Plugins::used(const std::vector<std::string>& environments,
                                            const std::vector<std::string>& policies) {
  load();
  std::vector<runs::PluginUsed> all;
  for (const Entry& entry : entries_) {
    const plugins::Offer& offer = entry.plugin.offer;
    if (has_name(offer.environments, environments) || has_name(offer.systems, environments) ||
        has_name(offer.policies, policies))
      all.push_back(describe(entry.plugin));
  }
  return all;
}

void Plugins::check(const std::string& option, const std::vector<runs::PluginUsed>& recorded,
                    Violations& wrong) {
  if (recorded.empty()) return;
  load();
  std::vector<runs::PluginUsed> here;
  for (const Entry& entry : entries_) here.push_back(describe(entry.plugin));
  for (const std::string& line : runs::lacking_plugins(recorded, here))
    wrong.add(option + ": " + line);
  for (const std::string& line : runs::rebuilt_plugins(recorded, here)) console_->warn(line);
}

std::vector<std::string> plugin_words(const std::vector<std::string>& arguments) {
  const std::string with_value = std::string(kOption) + '=';
  std::vector<std::string> words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == kOption && i + 1 < arguments.size()) words.push_back(arguments[++i]);
    if (arguments[i].starts_with(with_value))
      words.push_back(arguments[i].substr(with_value.size()));
  }
  return words;
}

}  // namespace park::cli
