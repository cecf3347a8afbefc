#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/bench/bench_results.h"

namespace park::bench {

/// The rows of one block of episodes, hashed together with the link before them.
struct RowLink {
  std::uint64_t first = 0, last = 0;  ///< episodes that the block may have
  std::string sha256{};               ///< 64 hexadecimal digits
};

/// The chain over the rows of an entry: a link per block of kBlockEpisodes that has a row.
/// docs/benchmarks.md says what is hashed.
[[nodiscard]] std::vector<RowLink> row_links(const BenchResults&, const Entry&);

/// The last link. An entry without rows has the seed of the chain.
[[nodiscard]] std::string rows_sha256(const BenchResults&, const Entry&);

}  // namespace park::bench
