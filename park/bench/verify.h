#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/bench/blocks.h"

namespace park::bench {

/// Episodes of each result that are played again, at least.
constexpr std::uint64_t kReplayed = 5;

/// A line per figure of a results.json that does not follow from its rows. There is also a line per
/// result whose links do not follow, which names the first block that differs. A file of an older
/// version cannot be checked; one line says so. Throws as parse_results.
[[nodiscard]] std::vector<std::string> check_figures(std::string_view text,
                                                     const std::string& file);

struct Facts {
  /// One for each fact about environments, their data, policies and networks that differs in this
  /// build. Another one for each fact about the suite that differs in a bundled suite of its name.
  std::vector<std::string> lines{};
  /// [entries] Nothing of the entry differs, nor the text of its environment. To play it again opens
  /// what the suite names and nothing else.
  std::vector<bool> agree{};
};
/// Opens no policy. Throws as resolve.
[[nodiscard]] Facts check_facts(const Registry&, const BenchResults&, const Opens& = {});

/// A line per result that has an episode outside the suite, or lacks one that did not fail. One
/// line for a run that was interrupted.
[[nodiscard]] std::vector<std::string> check_complete(const BenchResults&);

/// What is to be played again.
struct ReplayPlan {
  std::uint64_t seed = 0;    ///< chooses blocks
  double share = 0;          ///< of each result's blocks, 0 to 1
  std::vector<bool> only{};  ///< [entries] of Facts; empty: all
  Opens opens{};             ///< what policies may open
};

/// The episodes to be played again.
struct Replay {
  /// Blocks of a result, and how many of them were chosen at random.
  struct Drawn {
    std::uint64_t all = 0, chosen = 0;
  };
  std::vector<Block> blocks{};
  std::uint64_t episodes = 0;        ///< episodes of the blocks that are recorded, or failed
  std::vector<Drawn> drawn{};        ///< of each result with rows
  std::vector<std::string> lines{};  ///< one per policy that cannot be made, or may not

  /// The probability that one of `changed` blocks of the same result is played again, for the
  /// result where it is least (hypergeometric). 1 if there is no result.
  [[nodiscard]] double finds(std::uint64_t changed) const;
};
/// All blocks with a failed episode, and random ones of the others. Each result has at least the
/// share of its blocks and kReplayed episodes, or all it has. Where a training failed there is no
/// policy, and nothing to play again; rows of such a policy are named.
[[nodiscard]] Replay choose_blocks(const Registry&, const BenchResults&, const ReplayPlan&);

/// A line per figure of the block's recorded episodes that is another one when played again, and
/// per failed episode that ends. A network's figures may be off by `tolerance`, relative to the
/// recorded one: on another machine its sums may round otherwise. All others are compared exactly.
[[nodiscard]] std::vector<std::string> check_block(const BenchResults&, const Block&,
                                                   const BlockResult&, double tolerance = 0);

}  // namespace park::bench
