#include "park/envs/load_balance/recording.h"

#include <string_view>
#include <system_error>

#include "park/core/error.h"
#include "park/envs/load_balance/config.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::load_balance {
namespace {

/// What a failure to read a recording is told by.
[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  throw Error(Errc::io, "recording: cannot read '" + path + "'" + why);
}

std::string read_text(const std::string& path) {
  std::error_code error;
  std::string text = files::read_file(path, error);
  if (error) fail_to_read(path, "");
  return text;
}

}  // namespace

Recording Recording::parse(const std::string& text, const std::string& name) {
  std::string_view rest = text;
  const std::string_view header = files::take_line(rest);
  const bool gaps = header == "gap_s,size";
  if (!gaps && header != "size")
    throw Error(Errc::bad_file, name + ":1: the header must be 'size' or 'gap_s,size'");
  Recording r;
  Violations bad;
  const auto fail = [&](std::size_t line, const char* allowed) {
    bad.add(name + ":" + std::to_string(line) + ": " + allowed);
  };
  for (std::size_t n = 2; !rest.empty() && bad.size() < files::kMostViolations; ++n) {
    std::string_view line = files::take_line(rest);
    if (gaps) {
      const std::size_t comma = line.find(',');
      const auto gap = files::number_in(line.substr(0, comma), 0, kMaxIntervalS);
      if (comma == std::string_view::npos || !gap) {
        fail(n, "gap_s must be a number from 0 to 1e9, then a comma");
        continue;
      }
      r.gaps_s_.push_back(*gap);
      line.remove_prefix(comma + 1);
    }
    const auto size = files::number_in(line, 1e-9, kMaxJobSize);
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
  static files::StampCache<std::string, Recording> cache;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(path, error);
  if (error) fail_to_read(path, ": " + error.message());
  return cache.get(path, {stamp},
                   [&] { return std::make_shared<const Recording>(parse(read_text(path), path)); });
}

}  // namespace park::load_balance
