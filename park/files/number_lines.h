#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/error.h"

namespace park::files {

inline constexpr std::size_t kMostViolations = 10;  ///< limit of one folder; more say nothing new

/// The regular files of a folder, sorted by name; hidden ones are left out. `field` names the
/// field in messages. Throws Error{io} if the folder cannot be read, Error{bad_file} if it
/// has no file.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                                          const std::string& field);
/// The text of a file. Throws Error{io}.
[[nodiscard]] std::string text_of(const std::filesystem::path& file, const std::string& field);

/// The lines of a text that are not empty, with their numbers from 1. CR before LF is no part of a
/// line.
class NumberLines {
 public:
  explicit NumberLines(std::string_view text) : rest_(text) {}

  /// Goes to the next line; false after the last.
  bool next();
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// The next word of the line, cut at spaces and tabs, or "".
  [[nodiscard]] std::string_view word();

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

/// A plain decimal number that is the whole word and is within [low, high].
[[nodiscard]] std::optional<double> number_in(std::string_view word, double low, double high);

/// Adds "NAME:LINE: what".
void add_at(Violations&, const std::string& name, std::size_t line, const std::string& what);

}  // namespace park::files
