// Playing the blocks of a suite. A block is a range of episodes of one entry; open_blocks are those
// that the results lack. Threads take the next block from a counter, make a policy of their own,
// play the block and report it under a mutex; the caller's on_block adds it with add_block. `park
// bench` plays whole suites so, verification single blocks.
#include "park/bench/blocks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "park/bench/play_stream.h"
#include "park/bench/summary.h"

namespace park::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::unique_ptr<Policy> make_policy(const Registry& registry, const BenchResults& results,
                                    const Entry& entry) {
  static std::mutex one_network_at_a_time;  // LibTorch is loaded by the first
  std::unique_lock lock(one_network_at_a_time, std::defer_lock);
  if (entry.network()) lock.lock();
  return registry.policy(playable(results, entry),
                         registry.spec(results.environments[entry.env].text));
}

/// Plays episodes of an entry; false: an end was asked for.
bool play(const Registry& registry, const BenchResults& results, const Block& block, Policy& policy,
          EventSink* events, const std::function<bool()>& stop, std::vector<EpisodeResult>& to) {
  const Entry& entry = results.entries[block.entry];
  const Rng phase = phase_rng(results.suite.seed, Phase::evaluate);
  const RandomEpisodes episodes(phase);
  const EpisodeSlice slice(episodes, block.first, block.count);
  const std::uint64_t most = std::min<std::uint64_t>(kBlockEpisodes, policy.most_slots());
  const auto slots = static_cast<std::uint32_t>(std::min(most, block.count));
  const auto stream = registry.stream(results.environments[entry.env].text, slice,
                                      {.slots = slots, .events = events});
  return play_stream(*stream, policy, phase.split("actions"), to,
                     [&](std::size_t, std::size_t) { return !stop(); });
}

/// Adds a failure; the same one of the episodes before it goes on.
void add_failure(BenchResults& results, const EpisodeFailure& failure) {
  const auto before = std::ranges::find_if(results.failures, [&](const EpisodeFailure& other) {
    return other.entry == failure.entry && other.error == failure.error &&
           other.first + other.count == failure.first;
  });
  if (before == results.failures.end())
    results.failures.push_back(failure);
  else
    before->count += failure.count;
}

/// Failures for those of a block's episodes that the results lack.
void add_failures(BenchResults& results, const Block& block, const std::string& error) {
  std::uint64_t next = block.first;
  const auto up_to = [&](std::uint64_t id) {
    if (next < id) add_failure(results, {block.entry, next, id - next, error});
    next = id + 1;
  };
  for (const EpisodeResult& episode : finished(results, block)) up_to(episode.id);
  up_to(block.first + block.count);
}

/// A value as a file brings it back: what is no finite number is one thing, and zero has no sign.
double filed(double value) { return std::isfinite(value) ? value + 0.0 : kUndefined; }

BlockResult play_block(const Registry& registry, const BenchResults& results, const Block& block,
                       const std::function<bool()>& stop) {
  BlockResult result{.no_policy = true};
  const auto begin = SteadyClock::now();
  try {
    const auto policy = make_policy(registry, results, results.entries[block.entry]);
    result.no_policy = false;
    static_cast<void>(play(registry, results, block, *policy, nullptr, stop, result.episodes));
  } catch (const std::exception& error) {
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

/// Shares blocks out to threads.
class Player {
 public:
  Player(const Registry& registry, const BenchResults& results, const std::vector<Block>& blocks,
         const BlockWatch& watch)
      : registry_(registry),
        results_(results),
        blocks_(blocks),
        watch_(watch),
        gone_(results.entries.size()) {}

  void work() {
    for (std::size_t b = next_++; b < blocks_.size() && !stop(); b = next_++) {
      const Block& block = blocks_[b];
      const std::string why = why_gone(block);
      tell(block, why.empty() ? play_block(registry_, results_, block, [this] { return stop(); })
                              : BlockResult{.error = why, .no_policy = true});
    }
  }
  /// An error of on_block.
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  [[nodiscard]] bool stop() const { return failed_ || watch_.stop(); }
  [[nodiscard]] std::string why_gone(const Block& block) {
    const std::lock_guard lock(telling_);
    return gone_[block.entry];
  }
  void tell(const Block& block, BlockResult&& result) {
    const std::lock_guard lock(telling_);
    if (result.no_policy) gone_[block.entry] = result.error;
    if (failure_ == nullptr) try {
        watch_.on_block(block, std::move(result));
      } catch (...) {
        failure_ = std::current_exception();
        failed_ = true;
      }
  }

  const Registry& registry_;
  const BenchResults results_;  // a copy: on_block may change the other while threads read
  const std::vector<Block>& blocks_;
  const BlockWatch& watch_;
  std::atomic<std::size_t> next_{0};
  std::mutex telling_;
  std::vector<std::string> gone_;  // why a policy cannot be made any more
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

}  // namespace

std::vector<Block> blocks_of(const Registry& registry, const BenchResults& results,
                             std::size_t entry) {
  const Entry& one = results.entries[entry];
  const std::uint64_t episodes = results.suite.environments[one.env].episodes;
  const bool in_turn = make_policy(registry, results, one)->most_slots() == 1;
  const std::uint64_t length = in_turn ? episodes : kBlockEpisodes;
  std::vector<Block> blocks;
  for (std::uint64_t first = 0; first < episodes; first += length)
    blocks.push_back({entry, first, std::min(length, episodes - first)});
  return blocks;
}

std::span<const EpisodeResult> finished(const BenchResults& results, const Block& block) {
  const std::vector<EpisodeResult>& all = results.entries[block.entry].episodes;
  const auto first = std::ranges::lower_bound(all, block.first, {}, &EpisodeResult::id);
  const auto end = std::ranges::lower_bound(all, block.first + block.count, {}, &EpisodeResult::id);
  return {first, end};
}

std::vector<Block> open_blocks(const std::vector<Block>& blocks, const BenchResults& results) {
  std::vector<Block> open;
  for (const Block& block : blocks)
    if (finished(results, block).size() < block.count) open.push_back(block);
  return open;
}

void play_blocks(const Registry& registry, const BenchResults& results,
                 const std::vector<Block>& blocks, std::uint32_t threads, const BlockWatch& watch) {
  Player player(registry, results, blocks, watch);
  {
    std::vector<std::jthread> workers;
    for (std::uint32_t t = 0; t < std::max(threads, 1u); ++t)
      workers.emplace_back([&] { player.work(); });
  }
  player.rethrow();
}

void add_block(BenchResults& results, const Block& block, BlockResult&& result) {
  Entry& entry = results.entries[block.entry];
  std::erase_if(entry.episodes, [&](const EpisodeResult& episode) {
    return std::ranges::binary_search(result.episodes, episode.id, {}, &EpisodeResult::id);
  });
  std::ranges::move(result.episodes, std::back_inserter(entry.episodes));
  std::ranges::sort(entry.episodes, {}, &EpisodeResult::id);
  entry.wall_s += result.wall_s;
  if (!result.error.empty()) add_failures(results, block, result.error);
}

std::optional<EpisodeResult> play_for_events(const Registry& registry, const BenchResults& results,
                                             std::size_t entry, std::uint64_t episode,
                                             EventSink& events, const std::function<bool()>& stop) {
  std::vector<EpisodeResult> played;
  const auto policy = make_policy(registry, results, results.entries[entry]);
  if (!play(registry, results, {entry, episode, 1}, *policy, &events, stop, played))
    return std::nullopt;
  return std::move(played.front());
}

}  // namespace park::bench
