#include "park/envs/load_balance/recording.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "park/core/error.h"
#include "park/envs/load_balance/config.h"
#include "park/files/number_lines.h"

namespace park::load_balance {
namespace {

std::optional<double> number(std::string_view text, double low, double high) {
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if (!(v >= low && v <= high)) return {};
  return v;
}

/// Cuts the next line off the text; without its end, CR included.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    std::error_code none;
    if (in && std::filesystem::is_regular_file(path, none)) return {};  // empty: rdbuf gave nothing
    throw Error(Errc::io, "recording: cannot read '" + path + "'");
  }
  return std::move(text).str();
}

/// What tells one state of a file from another.
struct Stamp {
  std::filesystem::file_time_type written;
  std::uintmax_t bytes = 0;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& path) {
  std::error_code error;
  Stamp s{std::filesystem::last_write_time(path, error), 0};
  if (!error) s.bytes = std::filesystem::file_size(path, error);
  if (error) throw Error(Errc::io, "recording: cannot read '" + path + "': " + error.message());
  return s;
}

}  // namespace

Recording Recording::parse(const std::string& text, const std::string& name) {
  std::string_view rest = text;
  const std::string_view header = take_line(rest);
  const bool gaps = header == "gap_s,size";
  if (!gaps && header != "size")
    throw Error(Errc::bad_file, name + ":1: the header must be 'size' or 'gap_s,size'");
  Recording r;
  Violations bad;
  const auto fail = [&](std::size_t line, const char* allowed) {
    bad.add(name + ":" + std::to_string(line) + ": " + allowed);
  };
  for (std::size_t n = 2; !rest.empty() && bad.size() < files::kMostViolations; ++n) {
    std::string_view line = take_line(rest);
    if (gaps) {
      const std::size_t comma = line.find(',');
      const auto gap = number(line.substr(0, comma), 0, kMaxIntervalS);
      if (comma == std::string_view::npos || !gap) {
        fail(n, "gap_s must be a number from 0 to 1e9, then a comma");
        continue;
      }
      r.gaps_s_.push_back(*gap);
      line.remove_prefix(comma + 1);
    }
    const auto size = number(line, 1e-9, kMaxJobSize);
    if (size)
      r.sizes_.push_back(*size);
    else
      fail(n, "size must be a number from 1e-9 to 1e18");
  }
  if (bad.empty() && r.sizes_.empty()) bad.add(name + ": has no jobs");
  bad.throw_if_any(Errc::bad_file);
  return r;
}

std::shared_ptr<const Recording> Recording::open(const std::string& path) {
  struct Entry {
    Stamp stamp;
    std::weak_ptr<const Recording> recording;
  };
  static std::mutex mutex;
  static std::map<std::string, Entry> known;
  const std::lock_guard lock(mutex);
  const Stamp stamp = stamp_of(path);
  Entry& entry = known[path];
  if (auto open = entry.recording.lock(); open && entry.stamp == stamp) return open;
  auto fresh = std::make_shared<const Recording>(parse(read_file(path), path));
  entry = {stamp, fresh};
  return fresh;
}

}  // namespace park::load_balance
