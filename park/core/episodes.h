#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "park/core/env.h"
#include "park/core/rng.h"

namespace park {

/// The purpose of a run, which selects its inputs. Different phases never share inputs.
enum class Phase { train, validate, evaluate };
[[nodiscard]] Rng phase_rng(std::uint64_t seed, Phase);

/// The episodes of a run: a pure function of their number, called from any thread.
class EpisodeSource {
 public:
  virtual ~EpisodeSource() = default;
  /// Episode k, or nothing: the run has no more.
  [[nodiscard]] virtual std::optional<Episode> at(std::uint64_t k) const = 0;
};

struct RandomEpisodesOptions {
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t repeat =
      1;  ///< episodes j*repeat .. j*repeat + repeat - 1 share inputs and horizon
  double mean_horizon_s = kInf;  ///< mean of the exponential (memoryless) horizon
};

class RandomEpisodes final : public EpisodeSource {
 public:
  explicit RandomEpisodes(Rng stream, RandomEpisodesOptions options = {})
      : stream_(stream), options_(options) {}
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override;

 private:
  Rng stream_;
  RandomEpisodesOptions options_;
};

/// A list; episode k gets the id k.
class FixedEpisodes final : public EpisodeSource {
 public:
  explicit FixedEpisodes(std::vector<Episode> list);
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override;

 private:
  std::vector<Episode> list_;
};

/// The share of one of N players: first, first + N, first + 2 N, ...
class Episodes {
 public:
  Episodes(const EpisodeSource& source, std::uint64_t first, std::uint64_t stride)
      : source_(&source), next_(first), stride_(stride) {}
  [[nodiscard]] std::optional<Episode> next() {
    return source_->at(std::exchange(next_, next_ + stride_));
  }

 private:
  const EpisodeSource* source_;
  std::uint64_t next_, stride_;
};

}  // namespace park
