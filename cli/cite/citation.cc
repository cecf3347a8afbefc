#include "cli/cite/citation.h"

#include "park/command/asset.h"

PARK_ASSET(park::cli::citation, file, PARK_FILE("CITATION.cff"))

namespace park::cli {

std::string citation_field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t begin = line.find_first_not_of(" -");
    if (begin == std::string_view::npos) continue;
    line.remove_prefix(begin);
    if (!line.starts_with(key) || !line.substr(key.size()).starts_with(": ")) continue;
    line.remove_prefix(key.size() + 2);
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"')
      line = line.substr(1, line.size() - 2);
    return std::string(line);
  }
  return "";
}

}  // namespace park::cli
