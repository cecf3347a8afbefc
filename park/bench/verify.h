#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/bench/blocks.h"

namespace park::bench {

/// How far a network's figure of an episode may be off on another machine or build, relative to the
/// recorded one. Everything else is compared exactly.
constexpr double kNetworkTolerance = 0.01;
/// Episodes of each result that are played again, at least.
constexpr std::uint64_t kReplayed = 5;

/// A line per figure of a results.json that does not follow from its rows, hashes of rows included.
/// Throws as parse_results.
[[nodiscard]] std::vector<std::string> check_figures(std::string_view text,
                                                     const std::string& file);

/// A line for each fact about environments, their data, policies and networks that differs in this
/// build. Another line for each fact about the suite that differs in a bundled suite of its name.
[[nodiscard]] std::vector<std::string> check_facts(const Registry&, const BenchResults&);

/// A line per result that has an episode outside the suite, or lacks one that did not fail. One
/// line for a run that was interrupted.
[[nodiscard]] std::vector<std::string> check_complete(const BenchResults&);

/// The episodes to be played again.
struct Replay {
  std::vector<Block> blocks{};
  std::uint64_t episodes = 0;        ///< recorded episodes of the blocks
  std::vector<std::string> lines{};  ///< one per policy that cannot be made
};
/// Random blocks of the results, of each result at least kReplayed episodes or all it has.
[[nodiscard]] Replay choose_blocks(const Registry&, const BenchResults&, std::uint64_t seed);

/// A line per figure of the block's recorded episodes that is another one when played again.
[[nodiscard]] std::vector<std::string> check_block(const BenchResults&, const Block&,
                                                   const BlockResult&, const runs::TrainingHost&);

}  // namespace park::bench
