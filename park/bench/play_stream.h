#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "park/bench/episode_result.h"
#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/stream.h"

namespace park::bench {

/// A part of a run whose episodes keep their numbers.
class EpisodeSlice final : public EpisodeSource {
 public:
  EpisodeSlice(const EpisodeSource& source, std::uint64_t first, std::uint64_t count)
      : source_(&source), first_(first), count_(count) {}
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override {
    return k < count_ ? source_->at(first_ + k) : std::nullopt;
  }

 private:
  const EpisodeSource* source_;
  std::uint64_t first_, count_;
};

/// Told after each recv how many episodes ended and how many decisions are asked; false stops.
using OnRound = std::function<bool(std::size_t ended, std::size_t asked)>;

/// Plays a stream to its end, or until it is told to stop; adds the finished episodes in the order
/// of their end. True: all of them are finished.
bool play_stream(Stream&, Policy&, const Rng& run, std::vector<EpisodeResult>&, const OnRound&);

}  // namespace park::bench
