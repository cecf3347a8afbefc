#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/registry.h"
#include "park/core/space.h"

namespace park::check {

/// What a property is checked on: one text of an environment.
struct Subject {
  const Registry* registry = nullptr;  ///< must outlive the subject
  std::string text;
  Spec spec;
  /// Makes single environments; of one that runs elsewhere, such as `remote`, each plays through a
  /// stream. None for a running system.
  EnvMaker make;
  std::vector<std::string> policies{};  ///< that are played: those that fit and need no fields
  bool elsewhere = false;               ///< neither simulated here nor a running system
  bool fixed_inputs = false;  ///< every episode has the same inputs: they come from a file
  bool knows_systems = true;  ///< the registry has the running systems, so it knows every twin
  std::uint64_t seed = 2026;  ///< of the episodes that are played
  std::size_t fewest_episodes = 0;  ///< where a property itself would play fewer

  /// The name in the text.
  [[nodiscard]] std::string name() const;
  /// As Registry::stream.
  [[nodiscard]] std::unique_ptr<Stream> open(const EpisodeSource&, const StreamOptions& = {}) const;
};

/// Throws what Registry::spec throws.
[[nodiscard]] Subject make_subject(const Registry&, std::string_view text);

}  // namespace park::check
