#include "park/suite/blocks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "park/suite/play_stream.h"
#include "park/suite/summary.h"

namespace park::suite {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::unique_ptr<Policy> make_policy(const Registry& registry, const BenchRecord& record,
                                    const Entry& entry) {
  static std::mutex one_at_a_time;  // LibTorch is loaded by the first
  const std::lock_guard lock(one_at_a_time);
  return registry.policy(entry.policy, registry.spec(record.environments[entry.env].text));
}

/// Plays episodes of an entry; false: an end was asked for.
bool play(const Registry& registry, const BenchRecord& record, const Block& block,
          EventSink* events, const std::function<bool()>& stop, std::vector<EpisodeResult>& to) {
  const Entry& entry = record.entries[block.entry];
  const auto policy = make_policy(registry, record, entry);
  const Rng phase = phase_rng(record.suite.seed, Phase::evaluate);
  const RandomEpisodes episodes(phase);
  const EpisodeSlice slice(episodes, block.first, block.count);
  const std::uint64_t most = std::min<std::uint64_t>(kBlockEpisodes, policy->most_slots());
  const auto slots = static_cast<std::uint32_t>(std::min(most, block.count));
  const auto stream = registry.stream(record.environments[entry.env].text, slice,
                                      {.slots = slots, .events = events});
  return play_stream(*stream, *policy, phase.split("actions"), to,
                     [&](std::size_t, std::size_t) { return !stop(); });
}

/// A value as a file brings it back: what is no finite number is one thing, and zero has no sign.
double filed(double value) { return std::isfinite(value) ? value + 0.0 : kUndefined; }

BlockResult play_block(const Registry& registry, const BenchRecord& record, const Block& block,
                       const std::function<bool()>& stop) {
  BlockResult result;
  const auto begin = SteadyClock::now();
  try {
    if (!play(registry, record, block, nullptr, stop, result.episodes)) result.episodes.clear();
  } catch (const std::exception& error) {
    result.episodes.clear();
    if (!stop()) result.error = error.what();
  }
  for (EpisodeResult& episode : result.episodes) {
    episode.reward = filed(episode.reward);
    std::ranges::transform(episode.metrics, episode.metrics.begin(), filed);
  }
  std::ranges::sort(result.episodes, {}, &EpisodeResult::id);
  result.wall_s = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  return result;
}

}  // namespace

std::vector<Block> blocks_of(const Registry& registry, const BenchRecord& record,
                             std::size_t entry) {
  const Entry& one = record.entries[entry];
  const std::uint64_t episodes = record.suite.environments[one.env].episodes;
  const bool in_turn = make_policy(registry, record, one)->most_slots() == 1;
  const std::uint64_t length = in_turn ? episodes : kBlockEpisodes;
  std::vector<Block> blocks;
  for (std::uint64_t first = 0; first < episodes; first += length)
    blocks.push_back({entry, first, std::min(length, episodes - first)});
  return blocks;
}

std::vector<Block> open_blocks(const std::vector<Block>& blocks, const BenchRecord& record) {
  std::vector<Block> open;
  for (const Block& block : blocks) {
    const auto& done = record.entries[block.entry].episodes;
    const auto of_block = [&](const EpisodeResult& episode) {
      return episode.id >= block.first && episode.id < block.first + block.count;
    };
    const auto finished = static_cast<std::uint64_t>(std::ranges::count_if(done, of_block));
    if (finished < block.count) open.push_back(block);
  }
  return open;
}

void play_blocks(const Registry& registry, const BenchRecord& record,
                 const std::vector<Block>& blocks, std::uint32_t threads, const BlockWatch& watch) {
  const BenchRecord plan = record;  // on_block may change the record while threads read
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  std::exception_ptr failure;  // of on_block
  std::atomic<bool> failed{false};
  const auto stop = [&] { return failed || watch.stop(); };
  const auto work = [&] {
    for (std::size_t b = next++; b < blocks.size() && !stop(); b = next++) {
      BlockResult result = play_block(registry, plan, blocks[b], stop);
      const std::lock_guard lock(telling);
      try {
        if (failure == nullptr) watch.on_block(blocks[b], std::move(result));
      } catch (...) {
        failure = std::current_exception();
        failed = true;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::uint32_t t = 0; t < std::max(threads, 1u); ++t) workers.emplace_back(work);
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void add_block(BenchRecord& record, const Block& block, BlockResult&& result) {
  Entry& entry = record.entries[block.entry];
  const auto of_block = [&](const EpisodeResult& episode) {
    return episode.id >= block.first && episode.id < block.first + block.count;
  };
  std::erase_if(entry.episodes, of_block);
  std::ranges::move(result.episodes, std::back_inserter(entry.episodes));
  std::ranges::sort(entry.episodes, {}, &EpisodeResult::id);
  entry.wall_s += result.wall_s;
  if (!result.error.empty())
    record.failures.push_back({block.entry, block.first, block.count, result.error});
}

void play_for_events(const Registry& registry, const BenchRecord& record, std::size_t entry,
                     std::uint64_t episode, EventSink& events, const std::function<bool()>& stop) {
  std::vector<EpisodeResult> ignored;
  static_cast<void>(play(registry, record, {entry, episode, 1}, &events, stop, ignored));
}

}  // namespace park::suite
