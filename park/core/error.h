#pragma once

#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// Checked where assertions are on (presets dev, quick, asan, tsan); nothing in a release build.
#define PARK_ASSERT(condition) assert(condition)

namespace park {

/// The kind of an error, for callers that react; the text is for people.
enum class Errc {
  invalid_config,  ///< a field out of its range, unknown, or in conflict with another
  invalid_space,   ///< a spec or a field handle that contradicts itself
  illegal_action,  ///< an action outside its space or masked out
  unknown_name,    ///< no such environment, policy, metric
  syntax,          ///< text outside the grammar
  capacity,        ///< more elements than declared
  bad_file,        ///< a file that is not what it should be
  io,              ///< a file that cannot be read or written
  unavailable,     ///< something that needs what is not there
  not_finite,      ///< a computation whose result is not a finite number
  not_allowed,     ///< a text of someone else that names more than it may
};

/// Thrown at set-up and at the borders, never by a step. The text has one line per violation. Each
/// line names the field and the allowed values.
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

/// Collects the violations of an input, so that all are reported at once.
class Violations {
 public:
  void add(std::string line) { lines_.push_back(std::move(line)); }
  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
  /// The lines joined by '\n'.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines_) {
      if (!all.empty()) all += '\n';
      all += line;
    }
    return all;
  }
  void throw_if_any(Errc code) const {
    if (!empty()) throw Error(code, text());
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace park
