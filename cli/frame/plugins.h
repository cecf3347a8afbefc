#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "park/command/data_kinds.h"
#include "park/core/error.h"
#include "park/plugins/load.h"
#include "park/plugins/places.h"
#include "park/runs/manifest.h"

namespace park {
class Registry;
}

namespace park::cli {

class Console;

/// A plug-in that is loaded: a library, or a class of Python.
struct Plugin {
  std::string name, version;
  std::string file;  ///< or module:Class
  bool python = false;
  plugins::Offer offer{};
  /// Throw Error in one line where a name is taken; nothing is added then.
  std::function<void(Registry&)> add_to_registry{};
  std::function<void(command::DataKinds&)> add_to_kinds{};
};

/// For manifests. Reads a library for its hash; throws Error{io}.
[[nodiscard]] runs::PluginUsed describe(const Plugin&);

/// Loads a shared library, which runs code of it. Throws Error{bad_file} in one line without the
/// path.
[[nodiscard]] Plugin load_library(const std::filesystem::path&);

/// Loads a class of Python by its module:Class; a process of its own serves it. Throws Error in one
/// line without that text.
[[nodiscard]] Plugin load_python_class(const std::string&);

/// The plug-ins of a command line: those of --plugin, then those of PARK_PLUGIN_PATH and of the
/// user's folder. They are loaded when something is asked of them, and stay until the end of the
/// process. A plug-in that was named must load. One that was found in a folder and does not load is
/// left out with a warning. It is left out without a warning where a plug-in of its name is there
/// already.
class Plugins {
 public:
  explicit Plugins(Console& console) : console_(&console) {}

  /// The texts of --plugin; before anything is loaded.
  void name(std::vector<std::string> texts) { named_ = std::move(texts); }

  // All of these load. They throw Error{bad_file} in one line, which begins with the text of
  // --plugin or with the file, and Error{invalid_config} as plugins::find_places.
  void add_to(Registry&);
  void add_to(command::DataKinds&);
  /// Those that bring the environments or policies of some texts.
  [[nodiscard]] std::vector<runs::PluginUsed> used(const std::vector<std::string>& environments,
                                                   const std::vector<std::string>& policies);
  /// Compares with what a file has recorded. Adds a violation for each plug-in that is not here or
  /// has another version. Warns of each plug-in that was built again.
  void check(const std::string& option, const std::vector<runs::PluginUsed>& recorded, Violations&);

 private:
  struct Entry {
    std::string where;  // --plugin and its text, or the file
    bool found;         // in a folder
    Plugin plugin;
  };

  void load();
  void load(const std::string& text, const plugins::Place*);
  [[nodiscard]] bool is_there(const std::string& name, const std::string& where, bool found) const;
  /// Calls `work` with each plug-in; one that was found is left out where it fails.
  template <class Work>
  void for_each(Work&& work);
  void fail(const std::string& where, bool found, const Error&);

  Console* console_;
  std::vector<std::string> named_;
  std::vector<Entry> entries_;
  bool loaded_ = false;
};

/// The texts of --plugin on a command line before it is parsed.
[[nodiscard]] std::vector<std::string> plugin_words(const std::vector<std::string>& arguments);

}  // namespace park::cli
