#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/suite/blocks.h"

namespace park::suite {

/// How far a network's figure of an episode may be off on another machine or build, relative to the
/// recorded one. Everything else is compared exactly.
constexpr double kNetworkTolerance = 0.01;
/// Episodes of each result that are played again, at least.
constexpr std::uint64_t kReplayed = 5;

/// A line per figure of a results.json that does not follow from its rows, hashes of rows included.
/// Throws as parse_record.
[[nodiscard]] std::vector<std::string> check_figures(std::string_view text,
                                                     const std::string& file);

/// A line per fact about environments, their data and networks that is another one in this build.
[[nodiscard]] std::vector<std::string> check_facts(const Registry&, const BenchRecord&);

/// Random blocks of the record, of each result at least kReplayed episodes or all it has.
[[nodiscard]] std::vector<Block> choose_blocks(const Registry&, const BenchRecord&,
                                               std::uint64_t seed);

/// A line per figure of the block's episodes that is not what is recorded.
[[nodiscard]] std::vector<std::string> check_block(const BenchRecord&, const Block&,
                                                   const BlockResult&, const agents::TrainingHost&);

}  // namespace park::suite
