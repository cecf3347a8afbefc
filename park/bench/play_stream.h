#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "park/bench/episode_result.h"
#include "park/core/episode_slice.h"
#include "park/core/policy.h"
#include "park/core/stream.h"

namespace park::bench {

/// Told after each recv how many episodes ended and how many decisions are asked; false stops.
using OnRound = std::function<bool(std::size_t ended, std::size_t asked)>;

/// Plays a stream to its end, or until it is told to stop; adds the finished episodes in the order
/// of their end. True: all of them are finished.
bool play_stream(Stream&, Policy&, const Rng& run, std::vector<EpisodeResult>&, const OnRound&);

}  // namespace park::bench
