#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/frame/progress.h"
#include "park/bench/play_stream.h"
#include "park/core/episodes.h"
#include "park/core/events.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::cli {

using bench::EpisodeResult;

/// What is played: the same episodes for every policy.
struct PlayPlan {
  std::string env;  ///< canonical text
  Phase phase = Phase::evaluate;
  std::uint64_t seed = 1, episodes = 1;
  std::uint32_t workers = 0;
  bool system = false;  ///< a real system: one at a time
};

/// Names of phases, as options and documents write them; and the phase of one, which is one of these.
[[nodiscard]] const std::vector<std::string>& phase_names();
[[nodiscard]] std::string phase_name(Phase);
[[nodiscard]] Phase phase_of(const std::string& name);

/// What one policy made of the plan.
struct PolicyResult {
  std::string policy;                   ///< canonical text
  std::vector<EpisodeResult> episodes;  ///< the finished ones, by id
  double wall_s = 0;
};

/// Plays the episodes of the plan to their end, whatever their horizon in training; the result does
/// not depend on the number of workers. An interrupt ends it early, with what is finished. The
/// first episode reports to `first_episode` where that is not null.
[[nodiscard]] PolicyResult play_policy(const Registry&, const PlayPlan&, const std::string& policy,
                                       Policy&, EventSink* first_episode, Progress&);

/// Plays a stream to its end, and adds the episodes that end; an interrupt ends it early.
void play_stream(Stream&, Policy&, const Rng& run, std::vector<EpisodeResult>&, Progress&);

}  // namespace park::cli
