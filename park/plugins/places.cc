// Three lists one after another: what options name, what the variable names, what lies in the
// folder of the user. A folder becomes its files. A set of devices and inodes keeps each file at
// its first place. The command line calls it once, and so does the list of plug-ins.
#include "park/plugins/places.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "park/core/error.h"

namespace park::plugins {
namespace {

namespace fs = std::filesystem;

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Names joined by dots, as Python has them.
bool is_dotted_name(std::string_view text) noexcept {
  bool begins = true;
  for (const char c : text) {
    const bool fits = begins ? is_letter(c) : is_letter(c) || c == '.' || (c >= '0' && c <= '9');
    if (!fits) return false;
    begins = c == '.';
  }
  return !begins;
}

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Why everybody could have put code there.
std::string open_to_all(const fs::path& file) {
  for (const fs::path& path : {file, file.parent_path()}) {
    struct stat about {};
    if (stat(path.c_str(), &about) == 0 && (about.st_mode & S_IWOTH) != 0)
      return (path == file ? "every user may write it" : "every user may write into its folder");
  }
  return "";
}

/// Collects places; each file once.
class Places {
 public:
  void add(Place place) {
    struct stat about {};
    if (stat(place.file.c_str(), &about) == 0 &&
        !known_.insert({about.st_dev, about.st_ino}).second)
      return;
    all_.push_back(std::move(place));
  }

  void add_folder(const fs::path& folder, Place::From from) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
      const fs::path& path = i->path();
      std::error_code ignored;
      const bool hidden = path.filename().string().starts_with('.');
      if (!hidden && path.extension() == ".so" && fs::is_regular_file(path, ignored))
        files.push_back(path);
    }
    if (error) throw Error(Errc::io, folder.string() + ": " + error.message());
    std::ranges::sort(files);
    for (const fs::path& file : files)
      add({.file = file, .from = from, .found = true, .problem = open_to_all(file)});
  }

  [[nodiscard]] std::vector<Place> take() { return std::move(all_); }

 private:
  std::set<std::pair<dev_t, ino_t>> known_;
  std::vector<Place> all_;
};

void add_variable(Places& places) {
  const std::string text = variable(kPathVariable);
  if (text.empty()) return;
  const std::string front = std::string(kPathVariable) + ": ";
  Violations wrong;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const fs::path path = text.substr(begin, end - begin);
    std::error_code ignored;
    if (path.empty())
      wrong.add(front + "has an empty element; allowed are absolute paths, separated by ':'");
    else if (!path.is_absolute())
      wrong.add(front + path.string() + " is relative; allowed are absolute paths");
    else if (fs::is_directory(path, ignored))
      places.add_folder(path, Place::From::variable);
    else if (fs::exists(path, ignored))
      places.add({.file = path, .from = Place::From::variable});
    else
      wrong.add(front + path.string() + ": there is no such folder or file");
    begin = end + 1;
  }
  wrong.throw_if_any(Errc::invalid_config);
}

}  // namespace

std::string_view to_text(Place::From from) noexcept {
  switch (from) {
    case Place::From::option:
      return "--plugin";
    case Place::From::variable:
      return kPathVariable;
    case Place::From::folder:
      return "user";
  }
  return "";
}

bool is_python_class(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_dotted_name(text.substr(0, colon)) &&
         is_dotted_name(text.substr(colon + 1));
}

fs::path user_folder() {
  if (const fs::path data = variable("XDG_DATA_HOME"); data.is_absolute())
    return data / "park" / "plugins";
  if (const fs::path home = variable("HOME"); home.is_absolute())
    return home / ".local" / "share" / "park" / "plugins";
  return {};
}

std::vector<Place> find_places(const std::vector<std::string>& files) {
  Places places;
  for (const std::string& file : files)
    if (!file.empty())  // reported as an option without a value
      places.add({.file = fs::absolute(file), .from = Place::From::option});
  add_variable(places);
  std::error_code ignored;
  if (const fs::path folder = user_folder(); !folder.empty() && fs::exists(folder, ignored))
    places.add_folder(folder, Place::From::folder);
  return places.take();
}

}  // namespace park::plugins
