// Blocks of a suite: which there are, that threads and interruptions do not change the results.
#include "park/bench/blocks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "park/bench/results_json.h"
#include "park/bench/verify.h"
#include "small_suite.h"

namespace park::bench {
namespace blocks_test {

/// The file without what may differ: the times that it took.
std::string text_of(BenchResults results) {
  for (Entry& entry : results.entries) entry.wall_s = 0;
  return results_json(results);
}

TEST(Blocks, AnyNumberOfThreadsGivesTheSameFile) {
  BenchResults one = small_results(), three = small_results();
  play_all(one, 1);
  play_all(three, 3);
  EXPECT_EQ(one.entries[0].episodes.size(), 11u);
  EXPECT_EQ(text_of(one), text_of(three));
}

/// What environments and their inputs share between threads, such as files that are open, is theirs.
TEST(Blocks, EveryEnvironmentGivesTheSameOnSeveralThreads) {
  const Registry& registry = small_registry();
  std::string parts;
  for (const std::string& name : registry.env_names())
    parts += (parts.empty() ? "" : ",") + std::string("{\"env\": \"") + name +
             "\", \"episodes\": 16, \"metrics\": [\"" + registry.spec(name).metrics.front().name +
             "\"], \"baselines\": [\"random\"]}";
  const Suite suite = parse_suite(R"({"schema": "park.suite", "version": 1, "name": "all",
    "summary": "for tests", "seed": 5, "environments": [)" +
                                      parts + "]}",
                                  "all.json");
  BenchResults one = resolve(registry, suite), three = resolve(registry, suite);
  play_all(one, 1);
  play_all(three, 3);
  EXPECT_EQ(one.entries.size(), registry.env_names().size());
  EXPECT_EQ(text_of(one), text_of(three));
}

TEST(Blocks, WhatIsLackingIsPlayedAndNothingElse) {
  BenchResults whole = small_results();
  play_all(whole, 2);
  BenchResults part = whole;
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

TEST(Blocks, AfterAStopNoBlockIsBegun) {
  BenchResults results = small_results();
  std::size_t told = 0;
  play_blocks(small_registry(), results, blocks_of(small_registry(), results, 0), 1,
              {.stop = [] { return true; },
               .on_block =
                   [&](const Block&, BlockResult&& result) {
                     ++told;
                     EXPECT_TRUE(result.episodes.empty());
                     EXPECT_EQ(result.error, "");
                   }});
  EXPECT_EQ(told, 0u);
}

/// Always the first action; fails in the episodes from a number on.
class Failing final : public Policy {
 public:
  Failing(std::uint64_t from, std::uint32_t slots, std::uint64_t* started = nullptr)
      : from_(from), slots_(slots), started_(started) {}
  void start(std::uint32_t, const Episode& episode, Rng) override {
    if (started_ != nullptr) ++*started_;
    if (episode.id >= from_) throw Error(Errc::not_finite, "a number got lost");
  }
  void act(const Decisions&, Batch&) override {}
  [[nodiscard]] std::uint32_t most_slots() const noexcept override { return slots_; }

 private:
  std::uint64_t from_;
  std::uint32_t slots_;
  std::uint64_t* started_;
};

using MakePolicy = std::function<std::unique_ptr<Policy>()>;

/// The small suite with another policy as the third one of its first environment.
struct WithPolicy {
  explicit WithPolicy(const MakePolicy& make) : registry(small_registry()) {
    registry.add_policy({.name = "mine"}, [make](const Spec&) { return make(); });
    Suite suite = parse_suite(small_suite_text(), "s");
    suite.environments[0].policies = {"mine"};
    results = resolve(registry, suite);
  }
  std::vector<Block> blocks() {
    std::vector<Block> all;
    for (std::size_t i = 0; i < results.entries.size(); ++i)
      for (const Block& block : blocks_of(registry, results, i)) all.push_back(block);
    return all;
  }
  void play(
      const std::vector<Block>& some, std::uint32_t threads,
      const std::function<bool()>& stop = [] { return false; }) {
    play_blocks(registry, results, some, threads,
                {.stop = stop, .on_block = [&](const Block& block, BlockResult&& result) {
                   add_block(results, block, std::move(result));
                 }});
  }
  [[nodiscard]] const std::vector<EpisodeResult>& episodes() const {
    return results.entries[2].episodes;
  }

  Registry registry;
  BenchResults results;
};

WithPolicy failing(std::uint64_t from, std::uint32_t slots) {
  WithPolicy with([=] { return std::make_unique<Failing>(from, slots); });
  with.play(with.blocks(), 2);
  return with;
}

/// What is there is what a policy makes of these episodes that does not fail.
void expect_right(const std::vector<EpisodeResult>& part, std::uint32_t slots) {
  const WithPolicy whole = failing(1000, slots);
  for (const EpisodeResult& episode : part) {
    const EpisodeResult& right = whole.episodes().at(episode.id);
    EXPECT_EQ(episode.id, right.id);
    EXPECT_EQ(episode.metrics, right.metrics);
  }
}

TEST(Blocks, AFailureEndsItsBlockAloneAndKeepsTheEpisodesThatEnded) {
  const WithPolicy with = failing(7, 2);  // blocks from 0 and from 8, two episodes at a time
  const BenchResults& results = with.results;
  EXPECT_EQ(with.episodes().size(), 6u);
  std::uint64_t failed = 0;
  for (const EpisodeFailure& failure : results.failures) {
    EXPECT_EQ(failure.entry, 2u);
    EXPECT_EQ(failure.error, "a number got lost");
    failed += failure.count;
  }
  EXPECT_EQ(failed, 5u);
  EXPECT_EQ(check_complete(results), std::vector<std::string>{});
  expect_right(with.episodes(), 2);
  for (const std::size_t other : {0u, 1u, 3u, 4u})
    EXPECT_FALSE(results.entries[other].episodes.empty());
  const BenchResults read = parse_results(results_json(results), "r");
  EXPECT_EQ(read.failures.size(), results.failures.size());
  EXPECT_EQ(results_json(read), results_json(results));
}

TEST(Blocks, APolicyThatPlaysInTurnKeepsWhatItPlayedBeforeAFailure) {
  const WithPolicy with = failing(9, 1);
  EXPECT_EQ(with.episodes().size(), 9u);
  ASSERT_EQ(with.results.failures.size(), 1u);
  EXPECT_EQ(with.results.failures[0].first, 9u);
  EXPECT_EQ(with.results.failures[0].count, 2u);
  expect_right(with.episodes(), 1);
}

TEST(Blocks, APolicyThatPlaysInTurnKeepsWhatItPlayedBeforeAStop) {
  std::uint64_t started = 0;
  WithPolicy with([&] { return std::make_unique<Failing>(1000, 1, &started); });
  const std::vector<Block> block = blocks_of(with.registry, with.results, 2);
  ASSERT_EQ(block.size(), 1u);
  with.play(block, 1, [&] { return started == 5; });
  EXPECT_EQ(with.episodes().size(), 4u);
  EXPECT_TRUE(with.results.failures.empty());
  expect_right(with.episodes(), 1);
  EXPECT_EQ(open_blocks(block, with.results).size(), 1u);
  with.play(block, 1);
  EXPECT_EQ(with.episodes().size(), 11u);
  expect_right(with.episodes(), 1);
}

TEST(Blocks, APolicyThatIsGoneIsNotWaitedForAgain) {
  int made = 0;
  WithPolicy with([&]() -> std::unique_ptr<Policy> {
    if (++made == 3) throw Error(Errc::unavailable, "no server answers");
    return std::make_unique<Failing>(1000, 8);
  });
  with.results.suite.environments[0].episodes = 40;
  const std::vector<Block> blocks = blocks_of(with.registry, with.results, 2);
  ASSERT_EQ(blocks.size(), 5u);
  with.play(blocks, 1);
  EXPECT_EQ(made, 3);
  EXPECT_EQ(with.episodes().size(), 8u);
  ASSERT_EQ(with.results.failures.size(), 1u);  // of four blocks
  EXPECT_EQ(with.results.failures[0].first, 8u);
  EXPECT_EQ(with.results.failures[0].count, 32u);
  EXPECT_EQ(with.results.failures[0].error, "no server answers");
}

TEST(Blocks, APolicyThatIsWaitedForDoesNotHaltTheOthers) {
  std::atomic<int> played{0};
  std::atomic<bool> wait{false}, others_played{false};
  WithPolicy with([&] {
    for (int i = 0; wait && i < 500 && played == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (wait) others_played = played > 0;
    return std::make_unique<Failing>(1000, 8);
  });
  const std::vector<Block> blocks{{2, 0, 8}, {1, 0, 8}};
  wait = true;
  play_blocks(
      with.registry, with.results, blocks, 2,
      {.stop = [] { return false; }, .on_block = [&](const Block&, BlockResult&&) { ++played; }});
  EXPECT_TRUE(others_played);
}

}  // namespace blocks_test
}  // namespace park::bench
