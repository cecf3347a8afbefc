#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "park/command/options.h"
#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/text.h"

namespace park::command {

/// "min_stages" -> "--min-stages": the option that sets a field.
[[nodiscard]] std::string option_name(std::string_view field);

/// The options that give a configuration, such as " --jobs 50 --seed 2": what differs from the
/// defaults. For the provenance of what a command makes.
template <Config C>
[[nodiscard]] std::string options_text(const C& c) {
  const Value given = canonical("options", c);
  std::string text;
  for (std::size_t i = 0; i < given.keys.size(); ++i)
    text += ' ' + option_name(given.keys[i]) + ' ' + to_text(given.items[i]);
  return text;
}

/// An option for every field of a configuration: --min-stages for min_stages. Fields may be
/// numbers, bools and texts.
class FieldOptions {
 public:
  explicit FieldOptions(const std::vector<FieldInfo>& fields);
  FieldOptions(const FieldOptions&) = delete;
  FieldOptions& operator=(const FieldOptions&) = delete;

  void declare(Options& options);
  /// What was given. Adds what is wrong with it, in terms of the options.
  template <Config C>
  void read(C& config, Violations& wrong) const {
    try {
      config = parse_config<C>(given());
    } catch (const Error& error) {
      add(error.what(), wrong);
    }
  }
  /// The same for fields that are known at run time only: their canonical text under `name`.
  [[nodiscard]] Value read(std::string_view name, Violations& wrong) const;

 private:
  struct Entry {
    FieldInfo field;
    std::string text;  ///< as given; at first the default
    std::string standard;
  };
  [[nodiscard]] Value given() const;
  /// Each line begins with a field's name.
  void add(const std::string& lines, Violations& wrong) const;
  /// Fields of several words that a text names become options.
  [[nodiscard]] std::string with_options(const std::string& text) const;

  std::list<Entry> entries_;  // options point to the texts
};

}  // namespace park::command
