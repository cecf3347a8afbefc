#include "park/bench/verify.h"

#include <algorithm>
#include <cmath>

#include "park/bench/results_json.h"
#include "park/core/text.h"
#include "park/files/json_fields.h"

namespace park::bench {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kNotAgain = "could not be played again: ";

void compare_json(const files::Json& stored, const files::Json& computed, const std::string& where,
                  Lines& lines);

void compare_objects(const files::Json& stored, const files::Json& computed,
                     const std::string& where, Lines& lines) {
  const std::string front = where.empty() ? "" : where + '.';
  for (const auto& [key, value] : computed.items()) {
    if (stored.contains(key))
      compare_json(stored[key], value, front + key, lines);
    else
      lines.push_back(front + key + ": is missing");
  }
  for (const auto& [key, value] : stored.items())
    if (!computed.contains(key)) lines.push_back(front + key + ": there is no such member");
}

void compare_json(const files::Json& stored, const files::Json& computed, const std::string& where,
                  Lines& lines) {
  if (stored == computed) return;
  if (stored.is_object() && computed.is_object())
    return compare_objects(stored, computed, where, lines);
  if (stored.is_array() && computed.is_array()) {
    if (stored.size() != computed.size())
      return lines.push_back(where + ": has " + std::to_string(stored.size()) +
                             " elements, but the rows give " + std::to_string(computed.size()));
    for (std::size_t i = 0; i < stored.size(); ++i)
      compare_json(stored[i], computed[i], where + '[' + std::to_string(i) + ']', lines);
    return;
  }
  lines.push_back(where + ": is " + stored.dump() + ", but the rows give " + computed.dump());
}

bool same_host(const runs::TrainingHost& a, const runs::TrainingHost& b) {
  return a.processor == b.processor && a.commit == b.commit && a.compiler == b.compiler &&
         a.libtorch == b.libtorch && a.blas == b.blas;
}

bool agree(double recorded, double here, double tolerance) {
  if (std::isnan(recorded) || std::isnan(here)) return std::isnan(recorded) && std::isnan(here);
  return std::abs(recorded - here) <= tolerance * std::abs(recorded);
}

/// Those of an entry of which an episode is recorded.
std::vector<Block> recorded_blocks(const Registry& registry, const BenchResults& results,
                                   std::size_t entry) {
  std::vector<Block> blocks = blocks_of(registry, results, entry);
  std::erase_if(blocks, [&](const Block& block) { return finished(results, block).empty(); });
  return blocks;
}

/// How episodes are compared, and where differences go.
struct EpisodeCheck {
  const EnvFacts* env;
  std::string front;
  double tolerance;
  Lines* lines;

  void operator()(const EpisodeResult& recorded, const EpisodeResult& here) const {
    if (tolerance == 0) {
      count(recorded, recorded.decisions, here.decisions, "decisions");
      count(recorded, recorded.events, here.events, "events");
    }
    for (std::size_t m = 0; m < env->metrics.size(); ++m) {
      const double then = metric_value(recorded, m), now = metric_value(here, m);
      if (!agree(then, now, tolerance))
        add(recorded, env->metrics[m].name, number_text(then), number_text(now));
    }
  }
  void count(const EpisodeResult& episode, std::uint64_t then, std::uint64_t now,
             const char* what) const {
    if (then != now) add(episode, what, std::to_string(then), std::to_string(now));
  }
  void add(const EpisodeResult& episode, const std::string& what, const std::string& then,
           const std::string& now) const {
    lines->push_back(front + "episode " + std::to_string(episode.id) + ", " + what + ": recorded " +
                     then + ", played again " + now);
  }
};

}  // namespace

Lines check_figures(std::string_view text, const std::string& file) {
  const BenchResults results = parse_results(text, file);
  Lines lines;
  compare_json(files::Json::parse(text), files::Json::parse(results_json(results)), "", lines);
  return lines;
}

Replay choose_blocks(const Registry& registry, const BenchResults& results, std::uint64_t seed) {
  Replay replay;
  for (std::size_t i = 0; i < results.entries.size(); ++i) try {
      if (results.entries[i].episodes.empty()) continue;
      std::vector<Block> blocks = recorded_blocks(registry, results, i);
      Rng(seed).split("verify").split(i).shuffle(std::span(blocks));
      std::uint64_t episodes = 0;
      for (std::size_t b = 0; b < blocks.size() && episodes < kReplayed; ++b) {
        replay.blocks.push_back(blocks[b]);
        episodes += finished(results, blocks[b]).size();
      }
      replay.episodes += episodes;
    } catch (const Error& error) {
      replay.lines.push_back(entry_text(results, results.entries[i]) + ", " + kNotAgain +
                             error.what());
    }
  return replay;
}

Lines check_block(const BenchResults& results, const Block& block, const BlockResult& played,
                  const runs::TrainingHost& host) {
  const Entry& entry = results.entries[block.entry];
  Lines lines;
  const EpisodeCheck check{
      .env = &results.environments[entry.env],
      .front = entry_text(results, results.entries[block.entry]) + ", ",
      .tolerance = entry.network() && !same_host(results.host, host) ? kNetworkTolerance : 0.0,
      .lines = &lines};
  bool lost = false;
  for (const EpisodeResult& recorded : finished(results, block)) {
    const auto at = std::ranges::find(played.episodes, recorded.id, &EpisodeResult::id);
    if (at == played.episodes.end())
      lost = true;
    else
      check(recorded, *at);
  }
  if (lost) lines.push_back(check.front + kNotAgain + played.error);
  return lines;
}

}  // namespace park::bench
