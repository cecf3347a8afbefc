#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>

#include "agents/algorithm/algorithm.h"
#include "agents/algorithm/training.h"
#include "agents/kit/parts.h"
#include "park/core/registry.h"
#include "park/runs/training_texts.h"

namespace park::agents {

/// An algorithm as its file registers it.
struct AlgorithmPart {
  PartText about{};
  std::string baseline{};  ///< the text of the one that it has where none is given
  bool compares = true;    ///< whether it learns from a baseline; else no other text fits
  /// The fields that every algorithm has. Throws Error{invalid_config}.
  TrainingConfig (*training)(const Value&) = nullptr;
  std::unique_ptr<Algorithm> (*make)(const Value&, Task) = nullptr;
};
using Algorithms = Parts<AlgorithmPart>;

/// AlgorithmPart::training of an algorithm with the fields of C.
template <std::derived_from<TrainingConfig> C>
[[nodiscard]] TrainingConfig training_config(const Value& text) {
  return parse_config<C>(text);
}

/// Those of the files *_algorithm.cc.
[[nodiscard]] const Algorithms& algorithms();
/// Calls the register function of each such file (agents/CMakeLists.txt).
void register_algorithms(Algorithms&);

/// The texts with defaults filled in, in canonical form. Throws Error{unknown_name}, {syntax},
/// {invalid_config} with the field that is wrong or the parts that do not fit together.
[[nodiscard]] runs::TrainingTexts canonical(const Registry&, const runs::TrainingTexts&);

/// An algorithm of a text such as "ppo(epochs=4)", at its first iteration. Throws
/// Error{unknown_name}, {syntax}, {invalid_config}.
[[nodiscard]] std::unique_ptr<Algorithm> make_algorithm(const std::string& text, Task);

/// An algorithm at its first iteration; a pure function of the texts and the seed. The registry
/// must outlive it. Throws as canonical.
[[nodiscard]] std::unique_ptr<Algorithm> make_algorithm(const Registry&, const runs::TrainingTexts&,
                                                        std::uint64_t seed);

}  // namespace park::agents
