#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "park/core/error.h"

namespace park::command {

/// Something outside the user's input went wrong: exit code 1.
class Failure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Adds a violation where `path` cannot become a new file. Its folder may be missing or not
/// writable; it may be no file, or exist and not be replaceable. An empty path asks for no file.
void check_output(std::string_view option, const std::string& path, bool overwrite,
                  Violations& wrong);

/// Adds a violation where an option asks for the file of another one, which it would replace.
void check_apart(std::string_view option, const std::string& path, std::string_view other,
                 const std::string& other_path, Violations& wrong);

/// Writes the file in one go: a temporary one beside it is renamed. It is on the disk when it
/// returns, and a loss of power before leaves what was there. Throws Failure.
void write_file(const std::string& path, std::string_view text);

}  // namespace park::command
