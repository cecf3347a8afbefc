#include "park/suite/blocks.h"

#include <gtest/gtest.h>

#include "park/suite/record_json.h"
#include "small_suite.h"

namespace park::suite {
namespace {

/// The file without what may differ: the times that it took.
std::string text_of(BenchRecord record) {
  for (Entry& entry : record.entries) entry.wall_s = 0;
  return record_json(record);
}

TEST(Blocks, AnyNumberOfThreadsGivesTheSameFile) {
  BenchRecord one = small_record(), three = small_record();
  play_all(one, 1);
  play_all(three, 3);
  EXPECT_EQ(one.entries[0].episodes.size(), 11u);
  EXPECT_EQ(text_of(one), text_of(three));
}

TEST(Blocks, WhatIsLackingIsPlayedAndNothingElse) {
  BenchRecord whole = small_record();
  play_all(whole, 2);
  BenchRecord part = whole;
  auto& episodes = part.entries[1].episodes;
  std::erase_if(episodes, [](const EpisodeResult& e) { return e.id == 9; });
  const std::vector<Block> all = blocks_of(small_registry(), part, 1);
  ASSERT_EQ(all.size(), 2u);
  const std::vector<Block> open = open_blocks(all, part);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].first, 8u);
  EXPECT_EQ(open[0].count, 3u);
  play_blocks(
      small_registry(), part, open, 1,
      {.stop = [] { return false; },
       .on_block = [&](const Block& block,
                       BlockResult&& result) { add_block(part, block, std::move(result)); }});
  EXPECT_EQ(text_of(part), text_of(whole));
}

TEST(Blocks, AStopKeepsNoHalfBlock) {
  BenchRecord record = small_record();
  std::size_t told = 0;
  play_blocks(small_registry(), record, blocks_of(small_registry(), record, 0), 1,
              {.stop = [] { return true; },
               .on_block =
                   [&](const Block&, BlockResult&& result) {
                     ++told;
                     EXPECT_TRUE(result.episodes.empty());
                     EXPECT_EQ(result.error, "");
                   }});
  EXPECT_EQ(told, 0u);
}

/// Fails in the episodes from the third on.
class Failing final : public Policy {
 public:
  void start(std::uint32_t, const Episode& episode, Rng) override {
    if (episode.id >= 3) throw Error(Errc::not_finite, "a number got lost");
  }
  void act(const Decisions&, Batch&) override {}
  [[nodiscard]] std::uint32_t most_slots() const noexcept override { return 2; }
};

TEST(Blocks, AFailureEndsItsBlockAlone) {
  Registry registry = small_registry();
  registry.add_policy({.name = "failing"}, [](const Spec&) { return std::make_unique<Failing>(); });
  Suite suite = parse_suite(small_suite_text(), "s");
  suite.environments[0].policies = {"failing"};
  BenchRecord record = resolve(registry, suite);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < record.entries.size(); ++i)
    for (const Block& block : blocks_of(registry, record, i)) blocks.push_back(block);
  play_blocks(
      registry, record, blocks, 2,
      {.stop = [] { return false; },
       .on_block = [&](const Block& block,
                       BlockResult&& result) { add_block(record, block, std::move(result)); }});
  ASSERT_EQ(record.failures.size(), 2u);
  EXPECT_EQ(record.failures[0].entry, 2u);
  EXPECT_EQ(record.failures[0].error, "a number got lost");
  EXPECT_TRUE(record.entries[2].episodes.empty());
  for (const std::size_t other : {0, 1, 3, 4}) EXPECT_FALSE(record.entries[other].episodes.empty());
  const BenchRecord read = parse_record(record_json(record), "r");
  EXPECT_EQ(read.failures.size(), 2u);
  EXPECT_EQ(record_json(read), record_json(record));
}

}  // namespace
}  // namespace park::suite
