#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/names.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/core/registry.h"

namespace park::cli {

/// Stands for whatever environment or policy a server elsewhere has, so lists leave it out.
constexpr std::string_view kElsewhere = "remote";

/// Everything that is told about an environment.
struct Description {
  std::string env;  ///< the canonical text that it speaks of: bounds depend on the fields
  Spec spec;
  std::vector<FieldInfo> fields;
  struct PolicyEntry {
    PolicyInfo info;
    std::vector<FieldInfo> fields;
  };
  std::vector<PolicyEntry> policies;  ///< that fit
};

[[nodiscard]] Description describe(const Registry&, const std::string& canonical_env, const Spec&);

[[nodiscard]] std::string description_text(const Description&, std::size_t width);
[[nodiscard]] std::string description_json(const Description&);
/// The page docs/envs/<name>.md.
[[nodiscard]] std::string description_markdown(const Description&);

/// Fields in few columns, for the width of a terminal.
[[nodiscard]] Table narrow_field_table(const std::vector<FieldInfo>&);

/// "simulated, replayable, cloneable".
[[nodiscard]] std::string traits_text(const Traits&);
/// An object.
void write_traits(JsonWriter&, const Traits&);
/// A name or null.
void write_twin(JsonWriter&, const Traits&);

}  // namespace park::cli
