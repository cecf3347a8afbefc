#include "park/files/number_lines.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace park::files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r";

[[noreturn]] void fail_to_read(const std::string& field, const fs::path& path,
                               const std::string& why) {
  throw Error(Errc::io, field + ": cannot read '" + path.string() + "': " + why);
}

}  // namespace

std::vector<fs::path> files_of(const fs::path& folder, const std::string& field) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    fail_to_read(field, folder, error ? error.message() : "it is not a folder");
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code none;
    const bool hidden = at->path().filename().string().starts_with('.');
    if (!hidden && at->is_regular_file(none)) files.push_back(at->path());
  }
  if (error) fail_to_read(field, folder, error.message());
  if (files.empty()) throw Error(Errc::bad_file, field + ": '" + folder.string() + "' has no file");
  std::ranges::sort(files, {}, [](const fs::path& p) { return p.filename().string(); });
  return files;
}

std::string text_of(const fs::path& file, const std::string& field) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) fail_to_read(field, file, "it is not a file");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_to_read(field, file, "it cannot be opened");
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (in.bad() || !text) fail_to_read(field, file, "reading failed");
  return std::move(text).str();
}

bool NumberLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    if (line_.find_first_not_of(kBlanks) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view NumberLines::word() {
  line_.remove_prefix(std::min(line_.find_first_not_of(kBlanks), line_.size()));
  const std::string_view word = line_.substr(0, line_.find_first_of(kBlanks));
  line_.remove_prefix(word.size());
  return word;
}

std::optional<double> number_in(std::string_view word, double low, double high) {
  double v = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), v);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  if (!(v >= low && v <= high)) return {};
  return v;
}

void add_at(Violations& bad, const std::string& name, std::size_t line, const std::string& what) {
  bad.add(name + ":" + std::to_string(line) + ": " + what);
}

}  // namespace park::files
