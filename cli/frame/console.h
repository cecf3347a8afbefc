#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace park::cli {

/// How much goes to stderr; each level includes those before it.
enum class LogLevel { error, warn, info, debug };

/// What people see beside the result: log lines and a status line, both on stderr. Their texts may
/// come from others: control characters are shown as park::printable shows them. One thread.
class Console {
 public:
  /// A terminal gets a status line that is redrawn; anything else gets plain lines.
  Console(std::ostream& err, bool terminal) : err_(&err), terminal_(terminal) {}

  void set_level(LogLevel level) noexcept { level_ = level; }
  [[nodiscard]] bool terminal() const noexcept { return terminal_; }
  [[nodiscard]] bool shows(LogLevel level) const noexcept { return level <= level_; }

  void error(std::string_view line) { log(LogLevel::error, "error: ", line); }
  void warn(std::string_view line) { log(LogLevel::warn, "warning: ", line); }
  void info(std::string_view line) { log(LogLevel::info, "", line); }
  void debug(std::string_view line) { log(LogLevel::debug, "debug: ", line); }

  /// Replaces the status line; an empty one removes it. Only on a terminal.
  void status(const std::string& text);

 private:
  void log(LogLevel, std::string_view prefix, std::string_view line);

  std::ostream* err_;
  bool terminal_;
  LogLevel level_ = LogLevel::info;
  std::string status_;
};

}  // namespace park::cli
