#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/frame/names.h"
#include "park/command/options.h"
#include "park/runs/manifest.h"

namespace park::cli {

/// The options of `park train` as they were given; what was not given is empty.
struct TrainOptions {
  std::string env, algorithm, baseline, network, budget, wall, device, out, validate_every,
      validate_on, init, checkpoint_every;
  std::optional<std::uint64_t> iterations, decisions, seed, validation_episodes, keep_every,
      threads;
  std::vector<std::string> envs;  ///< of a mixture
  std::string scale_by;
  std::string adversarial, imitate, imitate_along, replay, explore, explore_share;
  std::optional<std::uint64_t> imitate_iterations;
  bool resume = false, overwrite = false;

  void declare(Options&);
  /// Puts what was given into the settings, texts of what is trained apart; adds what is wrong. The
  /// names of a teacher and of a file are as given.
  void apply(runs::TrainSettings&, Violations&) const;
  /// Seconds of wall time.
  [[nodiscard]] double checkpoint_every_s(Violations&) const;

 private:
  void declare_guidance(Options&);
  void apply_guidance(runs::Guidance&, Violations&) const;
};

/// The environment and the weight of ENV or ENV*WEIGHT. Adds what is wrong with the weight.
[[nodiscard]] std::pair<std::string, double> weighted_env(const std::string&, Violations&);

/// Seconds of a text such as 90s, 30m or 2h; nothing for any other text.
[[nodiscard]] std::optional<double> duration_of(const std::string&);

}  // namespace park::cli
