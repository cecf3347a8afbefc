#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/suite/bench_record.h"

namespace park::suite {

/// Episodes of an entry that are played together, with a policy and a stream of their own. What
/// comes out depends on nothing but the block, so blocks are what threads share out, what an
/// interrupted run keeps, and what a verifier plays again.
struct Block {
  std::size_t entry = 0;
  std::uint64_t first = 0, count = 0;
};

/// Also the rows of a network's batch: its outputs may depend on them.
constexpr std::uint64_t kBlockEpisodes = 8;

struct BlockResult {
  std::vector<EpisodeResult> episodes{};  ///< by id; all of the block's, or nothing
  double wall_s = 0;
  std::string error{};  ///< why there are none; empty: an end was asked for
};

/// The blocks of one entry. A policy that takes something from an episode to the next plays one
/// block. Throws what making the policy throws.
[[nodiscard]] std::vector<Block> blocks_of(const Registry&, const BenchRecord&, std::size_t entry);

/// Those of whose episodes one is not in the record.
[[nodiscard]] std::vector<Block> open_blocks(const std::vector<Block>&, const BenchRecord&);

struct BlockWatch {
  std::function<bool()> stop{};  ///< asked often, from any thread
  /// Called as blocks end, one call at a time, in any order.
  std::function<void(const Block&, BlockResult&&)> on_block{};
};

/// Plays blocks on threads. An error of a policy or an environment ends its block alone.
void play_blocks(const Registry&, const BenchRecord&, const std::vector<Block>&,
                 std::uint32_t threads, const BlockWatch&);

/// Adds what came out to the record, in place of what it had of these episodes.
void add_block(BenchRecord&, const Block&, BlockResult&&);

/// Plays one episode for what the environment tells of it.
void play_for_events(const Registry&, const BenchRecord&, std::size_t entry, std::uint64_t episode,
                     EventSink&, const std::function<bool()>& stop);

}  // namespace park::suite
