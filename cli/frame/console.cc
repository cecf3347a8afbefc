#include "cli/frame/console.h"

#include <ostream>

#include "park/core/text.h"

namespace park::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

void Console::status(const std::string& text) {
  const std::string line = printable(text);
  if (!terminal_ || line == status_) return;
  *err_ << kEraseLine << line << std::flush;
  status_ = line;
}

void Console::log(LogLevel level, std::string_view prefix, std::string_view line) {
  if (!shows(level)) return;
  if (!status_.empty()) *err_ << kEraseLine;
  *err_ << prefix << printable(line, "\n") << '\n' << status_ << std::flush;
}

}  // namespace park::cli
