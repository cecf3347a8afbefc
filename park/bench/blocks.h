#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "park/bench/bench_results.h"
#include "park/core/registry.h"

namespace park::bench {

/// Episodes of an entry that are played together, with a policy and a stream of their own. The
/// results depend only on the block. Blocks are therefore what threads share out, what an
/// interrupted run keeps, and what a verifier plays again.
struct Block {
  std::size_t entry = 0;
  std::uint64_t first = 0, count = 0;
};

/// Episodes of a block, and rows of a network's batch: its outputs may depend on that number.
constexpr std::uint64_t kBlockEpisodes = 8;

struct BlockResult {
  std::vector<EpisodeResult> episodes{};  ///< by id; all of the block's, or those that ended
  double wall_s = 0;
  std::string error{};     ///< why some are lacking; empty: an end was asked for
  bool no_policy = false;  ///< the error: the policy could not be made
};

/// The blocks of one entry. A policy that takes something from an episode to the next plays one
/// block. Throws what making the policy throws.
[[nodiscard]] std::vector<Block> blocks_of(const Registry&, const BenchResults&, std::size_t entry);

/// The episodes of a block that are in the results.
[[nodiscard]] std::span<const EpisodeResult> finished(const BenchResults&, const Block&);

/// Blocks with at least one missing episode.
[[nodiscard]] std::vector<Block> open_blocks(const std::vector<Block>&, const BenchResults&);

struct BlockWatch {
  std::function<bool()> stop{};  ///< asked often, from any thread
  /// Called as blocks end, one call at a time, in any order.
  std::function<void(const Block&, BlockResult&&)> on_block{};
};

/// Plays blocks on threads. An error of a policy or an environment ends its block alone. A policy
/// that cannot be made fails all remaining blocks of its entry.
void play_blocks(const Registry&, const BenchResults&, const std::vector<Block>&,
                 std::uint32_t threads, const BlockWatch&);

/// Adds what came out to the results, in place of what it had of these episodes. After an error
/// those of the block's episodes that the results lack are failures.
void add_block(BenchResults&, const Block&, BlockResult&&);

/// Plays one episode for its events; nothing if an end was asked for.
[[nodiscard]] std::optional<EpisodeResult> play_for_events(const Registry&, const BenchResults&,
                                                           std::size_t entry, std::uint64_t episode,
                                                           EventSink&,
                                                           const std::function<bool()>& stop);

}  // namespace park::bench
