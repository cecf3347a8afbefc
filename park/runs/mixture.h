#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/core/registry.h"
#include "park/core/space.h"
#include "park/runs/training_texts.h"

namespace park::runs {

/// An environment of a mixture and how often its inputs are drawn, against the other ones.
struct MixturePart {
  static constexpr std::string_view kName = "part";
  std::string env{};
  double weight = 1;

  bool operator==(const MixturePart&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("env", c.env, FieldDoc{.doc = "text of the environment", .names = Names::nothing});
    visit(
        "weight", c.weight,
        FieldDoc{.doc = "relative to those of the others", .min = 0, .max = 1e9, .open_min = true});
  }
};

/// Those of a mixture's text; none of the empty one. Throws Error{syntax} or {invalid_config}.
[[nodiscard]] std::vector<MixturePart> mixture_parts(const std::string& text);
/// The text of these; environments are in canonical form.
[[nodiscard]] std::string mixture_text(const std::vector<MixturePart>&);

/// The environments of a training: `env`, or those of the mixture.
[[nodiscard]] std::vector<std::string> training_envs(const std::string& env, const Mixture&);

/// The spec of a training: that of `env`, or one whose groups and bounds hold the rows and actions
/// of every environment of the mixture. Throws Error{invalid_config} in one line where two have
/// other names, layouts or first metrics, or one is not simulated.
[[nodiscard]] Spec training_spec(const Registry&, const std::string& env, const Mixture&);

}  // namespace park::runs
