#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/registry.h"
#include "park/core/space.h"

namespace park::test {

/// What a property is checked on: one text of an environment.
struct Subject {
  const Registry* registry = nullptr;
  std::string text;
  Spec spec;
  EnvMaker make;    ///< none for a running system
  bool fixed_inputs = false;  ///< every episode has the same inputs: they come from a file

  /// The name in the text.
  [[nodiscard]] std::string name() const;
};
[[nodiscard]] Subject make_subject(const Registry&, std::string_view text);

/// A line of presets.txt: the text of an environment, perhaps after a word. "long": episodes have
/// more than 10 000 decisions, of an input process that the system cannot keep up with. "fixed":
/// the inputs come from a file, and every episode has the same. @data@ stands for tests/data.
struct Preset {
  std::string text;
  bool is_long = false, is_fixed = false;
};
[[nodiscard]] Subject make_subject(const Registry&, const Preset&);
/// Throws Error{bad_file}.
[[nodiscard]] std::vector<Preset> read_presets(const std::string& path);

/// Every environment and policy of the project that needs no further package.
[[nodiscard]] const Registry& full_registry();

}  // namespace park::test
