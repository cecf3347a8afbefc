#include "park/command/output.h"

#include <unistd.h>

#include <filesystem>

#include "park/files/new_file.h"

namespace park::command {

namespace fs = std::filesystem;

void check_output(std::string_view option, const std::string& path, bool overwrite,
                  Violations& wrong) {
  if (path.empty()) return;
  const std::string begin = std::string(option) + ": " + path;
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (!fs::is_directory(folder, ignored))
    return wrong.add(begin + ": there is no folder " + folder.string());
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    return wrong.add(begin + " exists and is no regular file");
  if (access(folder.c_str(), W_OK) != 0)
    return wrong.add(begin + ": the folder " + folder.string() + " is not writable");
  if (!overwrite && fs::exists(path, ignored))
    wrong.add(begin + " exists; give --overwrite to replace it");
}

void check_apart(std::string_view option, const std::string& path, std::string_view other,
                 const std::string& other_path, Violations& wrong) {
  if (path.empty() || other_path.empty()) return;
  const auto place = [](const std::string& p) { return fs::absolute(p).lexically_normal(); };
  if (place(path) == place(other_path))
    wrong.add(std::string(option) + ": " + path + " is the file of " + std::string(other) +
              "; it must be another");
}

void write_file(const std::string& path, std::string_view text) {
  if (const std::error_code error = files::try_write_file(path, text, {.synced = true}))
    throw Failure(path + ": " + error.message());
}

}  // namespace park::command
