// Projects of `park new`. A name is checked word by word and a folder by what is there, before
// anything is written. project_files fills the name into templates, which are data of the program.
// write_project fills a new folder beside the wanted one and renames it. new_command.cc calls.
#include "cli/new/project.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "cli/new/templates.h"
#include "park/command/output.h"
#include "park/core/text.h"
#include "park/files/new_file.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

// A name becomes a namespace of C++, a module of Python, and a target of CMake. Words between spaces.
constexpr std::string_view kCppWords =
    " alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char "
    "char16_t char32_t char8_t class co_await co_return co_yield compl concept const "
    "const_cast consteval constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum errno explicit export extern false float for friend goto if "
    "inline int linux long main mutable namespace new noexcept not not_eq nullptr operator "
    "or or_eq park private project protected public register reinterpret_cast requires "
    "return short signed sizeof static static_assert static_cast std stderr stdin stdout "
    "struct switch template this thread_local throw true try typedef typeid typename union "
    "unix unsigned using virtual void volatile wchar_t while xor xor_eq ";
constexpr std::string_view kPythonWords =
    " as async await def del elif except exec finally from global import in is lambda match "
    "nonlocal pass print raise type with yield ";
constexpr std::string_view kCMakeTargets =
    " all clean edit_cache help install package package_source preinstall rebuild_cache test ";

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

bool holds(std::string_view words, const std::string& name) {
  return words.find(' ' + name + ' ') != std::string_view::npos;
}

/// What is wrong with the letters of a name, or "".
std::string wrong_letters(const std::string& name) {
  if (name.empty() || !lower(name.front())) return "does not begin with a lower-case letter";
  if (!std::ranges::all_of(name, [](char c) { return lower(c) || digit(c) || c == '_'; }))
    return "has other characters than lower-case letters, digits and _";
  if (name.size() > kLongestProjectName)
    return "has more than " + std::to_string(kLongestProjectName) + " characters";
  return "";
}

std::string replaced(std::string_view text, std::string_view token, std::string_view name) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const std::size_t at = text.find(token);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += name;
    text.remove_prefix(at + token.size());
  }
}

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  throw command::Failure(path.string() + ": " + error.message());
}

/// A folder that is removed with all its files unless it has got its name.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& folder) : folder_(folder), part_(folder) {
    part_ += ".new-" + std::to_string(::getpid());
    std::error_code error;
    if (!fs::create_directory(part_, error))
      fail(part_, error ? error : std::make_error_code(std::errc::file_exists));
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!named_) fs::remove_all(part_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void write(const ProjectFile& file) const {
    const fs::path path = part_ / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (!error) error = files::try_write_file(path, file.text);
    if (error) fail(path, error);
  }
  /// rename(2) also replaces a folder that is empty, and no other.
  void give_name() {
    if (::rename(part_.c_str(), folder_.c_str()) != 0)
      fail(folder_, std::error_code(errno, std::generic_category()));
    named_ = true;
  }

 private:
  fs::path folder_, part_;
  bool named_ = false;
};

/// Without a separator at its end, which would name what is inside.
fs::path trimmed(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace

void check_project_name(const Registry& registry, const ProjectKind& kind, const std::string& name,
                        Violations& wrong) {
  const std::string begin = "NAME: '" + printable(name) + "' ";
  if (const std::string letters = wrong_letters(name); !letters.empty())
    return wrong.add(begin + letters);
  if (holds(kCppWords, name)) return wrong.add(begin + "is a word of C++; take another name");
  if (holds(kPythonWords, name)) return wrong.add(begin + "is a word of Python; take another name");
  if (holds(kCMakeTargets, name))
    return wrong.add(begin + "is a target of CMake; take another name");
  if (std::ranges::count(registry.env_names(), name) > 0)
    return wrong.add(begin + "is an environment of this park; take another name");
  const std::vector<std::string> policies = registry.policy_names();
  for (const std::string_view suffix : kind.policies)
    if (const std::string policy = name + std::string(suffix);
        std::ranges::count(policies, policy) > 0)
      return wrong.add(begin + "asks for the policy " + policy +
                       ", which this park has; take another name");
}

void check_project_folder(const fs::path& folder, Violations& wrong) {
  std::error_code error;
  const fs::path place = trimmed(folder);
  const std::string shown = "--out: " + place.string();
  if (fs::equivalent(place, fs::current_path(error), error))
    return wrong.add(shown + ": is the current folder; name one that is not there");
  if (fs::exists(fs::symlink_status(place, error))) {
    if (!fs::is_directory(fs::symlink_status(place, error)))
      return wrong.add(shown + ": exists and is no folder");
    if (!fs::is_empty(place, error) || error)
      return wrong.add(shown + (error ? ": " + error.message() : ": exists and is not empty"));
  }
  const fs::path above = place.has_parent_path() ? place.parent_path() : fs::path(".");
  if (!fs::is_directory(above, error))
    wrong.add(shown + ": there is no folder " + above.string());
  else if (::faccessat(AT_FDCWD, above.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    wrong.add(shown + ": " + above.string() + " is not writable");
}

std::vector<ProjectFile> project_files(const ProjectKind& kind, std::string_view name) {
  const std::string folder = std::string(kind.templates) + '/';
  std::vector<ProjectFile> files;
  for (const Template& t : templates())
    if (t.path.starts_with(folder))
      files.push_back({replaced(t.path.substr(folder.size()), kind.token, name),
                       replaced(t.text, kind.token, name)});
  return files;
}

void write_project(const fs::path& folder, const std::vector<ProjectFile>& files) {
  NewFolder made(trimmed(folder));
  for (const ProjectFile& file : files) made.write(file);
  made.give_name();
}

}  // namespace park::cli
