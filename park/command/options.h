#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/error.h"

namespace park::command {

/// One thing that may be given to a command.
struct Option {
  std::string name;         ///< "--episodes", or "ENV" for a positional one
  std::string placeholder;  ///< "N"; empty for a flag
  std::string doc;
  std::string default_text;  ///< shown in the help; empty: none
  bool required = false, many = false;
  /// Takes what was given and reports what is wrong with it.
  std::function<void(const std::vector<std::string>&, Violations&)> set;

  [[nodiscard]] bool positional() const noexcept { return !name.starts_with('-'); }
  [[nodiscard]] bool flag() const noexcept { return !positional() && placeholder.empty(); }
};

/// The range of an integer, inclusive.
struct Range {
  std::uint64_t min, max;
};

/// Options bound to variables, which keep their value (the default) where nothing is given.
class Options {
 public:
  enum class Need { optional, required };

  void flag(std::string name, bool& target, std::string doc);
  /// An empty text is a violation.
  void text(std::string name, std::string placeholder, std::string& target, std::string doc,
            Need need = Need::optional);
  void texts(std::string name, std::vector<std::string>& target, std::string doc,
             Need need = Need::optional);
  /// An option that may be repeated, with a text each time.
  void texts(std::string name, std::string placeholder, std::vector<std::string>& target,
             std::string doc);
  void integer(std::string name, std::string placeholder, std::uint64_t& target, Range,
               std::string doc);
  /// One that may be left out; the doc says what then is.
  void integer(std::string name, std::string placeholder, std::optional<std::uint64_t>& target,
               Range, std::string doc);
  void choice(std::string name, std::string& target, std::vector<std::string> choices,
              std::string doc);

  [[nodiscard]] const std::vector<Option>& list() const noexcept { return options_; }

 private:
  std::vector<Option> options_;
};

}  // namespace park::command
