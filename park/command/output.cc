#include "park/command/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

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

void write_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".part" + std::to_string(getpid());
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const std::string reason = errno != 0 ? std::strerror(errno) : "write error";
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw Failure(path + ": " + reason);
}

}  // namespace park::command
