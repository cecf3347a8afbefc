#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace park::plugins {

/// The variable that names more plug-ins: absolute paths of folders and files, separated by ':'.
constexpr const char* kPathVariable = "PARK_PLUGIN_PATH";

/// A file that may be a plug-in.
struct Place {
  enum class From { option, variable, folder };  ///< in the order of precedence

  std::filesystem::path file;  ///< absolute
  From from = From::option;
  /// In a folder, so that nobody has named it: it may be refused without an end of the work.
  bool found = false;
  /// Why it must not be loaded, regardless of its contents; empty: nothing speaks against it.
  std::string problem{};
};

[[nodiscard]] std::string_view to_text(Place::From) noexcept;

/// Whether a text for --plugin is a class in Python, such as "my.module:MyEnv"; else it is a file.
/// A file of such a name needs a folder in front, such as ./my:file.
[[nodiscard]] bool is_python_class(std::string_view text) noexcept;

/// Where plug-ins of this user are found without being named: $XDG_DATA_HOME/park/plugins, else
/// ~/.local/share/park/plugins. Empty where neither variable is an absolute path.
[[nodiscard]] std::filesystem::path user_folder();

/// The files of --plugin, where they are not empty, then those of PARK_PLUGIN_PATH, then those in
/// the folder of the user. Each file is listed once, at its first place. A folder counts with its
/// files *.so by name, without those in its own folders. A file that everybody may write, or whose
/// folder everybody may write into, has a problem where it is found. Nothing is read from the
/// current folder unless an option says so.
///
/// Throws Error{invalid_config} with a line per element of the variable that is empty, relative or
/// not there, and Error{io} where a folder cannot be read.
[[nodiscard]] std::vector<Place> find_places(const std::vector<std::string>& files);

}  // namespace park::plugins
