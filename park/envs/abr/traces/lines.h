#pragma once

#include <string>
#include <string_view>

#include "park/core/error.h"
#include "park/envs/abr/traces/trace_set.h"
#include "park/files/byte_source.h"
#include "park/files/lines.h"

namespace park::abr::traces {

/// Passes the lines of a source that are not empty to `take`, without the blanks around them, and
/// counts them. It returns what is wrong with a line, or "". Throws Error{bad_file} with a line per
/// violation, 10 at most, each "NAME:LINE: what".
template <class Take>
void read_lines(files::ByteSource& source, const std::string& name, TraceSet& set, Take&& take) {
  files::LineReader reader(source, name);
  Violations bad;
  std::string_view line;
  while (bad.size() < files::kMostViolations && reader.next(line)) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    ++set.lines;
    const std::string wrong = take(line);
    if (!wrong.empty()) files::add_at(bad, name, reader.number(), wrong);
  }
  bad.throw_if_any(Errc::bad_file);
  if (source.cut_short())
    throw Error(Errc::bad_file, name + ": is cut short: a compressed file without its end");
}

}  // namespace park::abr::traces
