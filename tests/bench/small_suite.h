#pragma once

#include <string>

#include "park/bench/blocks.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::bench {

inline const Registry& small_registry() {
  static const Registry registry = [] {
    Registry made;
    envs::register_all(made);
    return made;
  }();
  return registry;
}

/// An environment in two settings and the text of a suite file.
inline std::string small_suite_text() {
  return R"json({"schema": "park.suite", "version": 1, "name": "small", "summary": "for tests",
    "seed": 5, "environments": [
      {"env": "load_balance", "version": 1, "config": {"servers": 3, "jobs": 40}, "episodes": 11,
       "metrics": ["avg_response_s", "jobs_done"], "baselines": ["random", "least_work"],
       "policies": ["power_of_d(d=3)"]},
      {"env": "load_balance", "config": {"servers": 2, "jobs": 60}, "episodes": 9,
       "metrics": ["p95_response_s"], "baselines": ["random", "round_robin"]}]})json";
}

inline BenchResults small_results() {
  return resolve(small_registry(), parse_suite(small_suite_text(), "small.json"));
}

/// Plays all blocks.
inline void play_all(BenchResults& results, std::uint32_t threads) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < results.entries.size(); ++i)
    for (const Block& block : blocks_of(small_registry(), results, i)) blocks.push_back(block);
  play_blocks(
      small_registry(), results, blocks, threads,
      {.stop = [] { return false; },
       .on_block = [&](const Block& block,
                       BlockResult&& result) { add_block(results, block, std::move(result)); }});
}

/// The results with all blocks played, once for all tests.
inline const BenchResults& played() {
  static const BenchResults results = [] {
    BenchResults made = small_results();
    play_all(made, 1);
    return made;
  }();
  return results;
}

}  // namespace park::bench
