// What other people's texts may name: a walk over the fields that a text gives, by what each of them
// declares (FieldDoc::names), and the allowed folders. A path is resolved before it is compared, and
// a folder is searched for links that leave it. Registry calls check before an environment or policy
// of such a text opens anything.
#include "park/core/access.h"

#include <algorithm>
#include <system_error>

#include "park/core/error.h"

namespace park {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 1'000'000;  // of a folder that is searched for links

/// A link in a resolved path leads to what is not there.
bool has_link(fs::path path) {
  for (; path.has_relative_path(); path = path.parent_path()) {
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored))) return true;
  }
  return false;
}

bool is_device(const fs::path& path) {
  std::error_code ignored;
  return fs::is_other(fs::status(path, ignored));
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Errc::not_allowed, path + ": " + why);
}

}  // namespace

void Access::allow_data(const std::string& folder) {
  std::error_code failed;
  fs::path resolved = fs::canonical(folder, failed);
  if (failed || !fs::is_directory(resolved, failed))
    throw Error(Errc::io, "'" + folder + "' is not a folder");
  folders_.push_back(std::move(resolved));
}

bool Access::inside(const fs::path& resolved) const {
  return std::ranges::any_of(folders_, [&](const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), resolved.begin(), resolved.end()).first ==
           folder.end();
  });
}

bool Access::holds(const std::string& path) const {
  // What opens a file reads its name up to the first zero.
  if (folders_.empty() || path.empty() || path.find('\0') != std::string::npos) return false;
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  const fs::path resolved = failed ? fs::path() : fs::weakly_canonical(whole, failed);
  if (failed || !inside(resolved) || has_link(resolved) || is_device(resolved)) return false;
  return !fs::is_directory(resolved, failed) || links_stay_inside(resolved);
}

bool Access::links_stay_inside(const fs::path& folder) const {
  std::error_code failed;
  std::size_t entries = 0;
  // Folders behind links belong to it; where they go round in a circle, the search fails.
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      failed);
  for (const fs::recursive_directory_iterator end; !failed && at != end; at.increment(failed)) {
    if (++entries > kMostEntries) return false;
    std::error_code dangling;
    if (at->is_symlink(dangling) && (!inside(fs::canonical(at->path(), dangling)) || dangling))
      return false;
  }
  return !failed;
}

void Access::check(const Value& text, const std::vector<FieldInfo>& fields) const {
  check_fields(text, fields, "");
}

void Access::check_fields(const Value& text, const std::vector<FieldInfo>& fields,
                          const std::string& before) const {
  for (std::size_t i = 0; i < text.keys.size(); ++i) {
    const auto field = std::ranges::find(fields, text.keys[i], &FieldInfo::name);
    if (field != fields.end()) check(text.items[i], *field, before + field->name);
  }
}

void Access::check(const Value& value, const FieldInfo& field, const std::string& path) const {
  if (field.names == Names::undeclared) refuse(path, "this server takes no such text from others");
  if (value.kind == Value::Kind::list) {
    for (std::size_t i = 0; i < value.items.size(); ++i)
      check(value.items[i], field, path + "[" + std::to_string(i) + "]");
    return;
  }
  if (field.names == Names::file) check_file(value.text, field, path);
  if (field.names == Names::endpoint && !remote_) refuse(path, "this server connects to no other");
  // Without :// it is the path of a file.
  if (field.names == Names::endpoint && value.text.find("://") == std::string::npos)
    check_file(value.text, field, path);
  check_fields(value, field.fields, path + ".");
}

void Access::check_file(const std::string& text, const FieldInfo& field,
                        const std::string& path) const {
  if (text.empty() || std::ranges::find(field.bundled, text) != field.bundled.end()) return;
  if (!holds(text)) refuse(path, allowed_files(field.bundled));
}

std::string Access::allowed_files(const std::vector<std::string>& bundled) const {
  std::string all;
  for (const std::string& word : bundled) all += (all.empty() ? "" : ", ") + word;
  if (all.empty() && folders_.empty()) return "this server opens no files to its clients";
  if (!folders_.empty())
    all += std::string(all.empty() ? "" : " and ") + "files in the folders that this server opens";
  return "allowed are " + all;
}

}  // namespace park
