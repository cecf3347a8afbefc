// Verification of a results.json. check_figures writes the file again from its rows and compares the
// texts. choose_blocks draws which blocks are played again, and takes those with failures; the caller
// plays them, and check_block compares episode by episode. verify_facts.cc compares the set-up.
#include "park/bench/verify.h"

#include <algorithm>
#include <cmath>

#include "park/bench/failed_episodes.h"
#include "park/bench/results_json.h"
#include "park/bench/row_links.h"
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

/// Takes the links out of each of the results, so that only the first that differs is named.
std::vector<files::Json> take_links(files::Json& file) {
  std::vector<files::Json> all;
  for (files::Json& result : file["results"]) {
    all.push_back(result.contains("links") ? std::move(result["links"]) : files::Json());
    result.erase("links");
  }
  return all;
}

/// A change of a block changes all links behind it.
void compare_links(const BenchResults& results, const std::vector<files::Json>& stored,
                   Lines& lines) {
  for (std::size_t i = 0; i < results.entries.size(); ++i) {
    const Entry& entry = results.entries[i];
    const std::vector<RowLink> links = row_links(results, entry);
    const std::string where = "results[" + std::to_string(i) + "].links";
    if (!stored[i].is_array() || stored[i].size() != links.size()) {
      lines.push_back(where + ": is no list of " + std::to_string(links.size()) + " links");
      continue;
    }
    std::size_t k = 0;
    while (k < links.size() && stored[i][k] == files::Json(links[k].sha256)) ++k;
    if (k == links.size()) continue;
    lines.push_back(where + '[' + std::to_string(k) + "]: is " + stored[i][k].dump() +
                    ", but the rows give \"" + links[k].sha256 +
                    "\": the first link that differs, " + entry_text(results, entry) +
                    ", episodes " + std::to_string(links[k].first) + " to " +
                    std::to_string(links[k].last));
  }
}

bool agree(double recorded, double here, double tolerance) {
  if (std::isnan(recorded) || std::isnan(here)) return std::isnan(recorded) && std::isnan(here);
  return std::abs(recorded - here) <= tolerance * std::abs(recorded);
}

/// The episodes of a block that failed.
std::vector<std::uint64_t> failed(const BenchResults& results, const Block& block) {
  std::vector<std::uint64_t> ids = failed_episodes(results, block.entry);
  std::erase_if(
      ids, [&](std::uint64_t id) { return id < block.first || id >= block.first + block.count; });
  return ids;
}

/// Adds blocks of an entry.
void choose(const Registry& registry, const BenchResults& results, std::size_t entry, Rng random,
            double share, Replay& replay) {
  const auto take = [&](const Block& block) {
    const std::uint64_t episodes = finished(results, block).size() + failed(results, block).size();
    replay.blocks.push_back(block);
    replay.episodes += episodes;
    return episodes;
  };
  std::vector<Block> blocks;
  for (const Block& block : blocks_of(registry, results, entry)) {
    if (!failed(results, block).empty())
      take(block);
    else if (!finished(results, block).empty())
      blocks.push_back(block);
  }
  if (blocks.empty()) return;
  random.shuffle(std::span(blocks));
  const double wanted = std::ceil(share * static_cast<double>(blocks.size()));
  Replay::Drawn drawn{.all = blocks.size()};
  for (std::uint64_t episodes = 0;
       drawn.chosen < drawn.all &&
       (episodes < kReplayed || static_cast<double>(drawn.chosen) < wanted);)
    episodes += take(blocks[drawn.chosen++]);
  replay.drawn.push_back(drawn);
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
  if (results.version != kResultsVersion)
    return {file + ": has version " + std::to_string(results.version) +
            ", whose figures and hashes this program does not compute; it verifies version " +
            std::to_string(kResultsVersion)};
  Lines lines;
  files::Json stored = files::Json::parse(text),
              computed = files::Json::parse(results_json(results));
  compare_links(results, take_links(stored), lines);
  static_cast<void>(take_links(computed));
  compare_json(stored, computed, "", lines);
  return lines;
}

double Replay::finds(std::uint64_t changed) const {
  double least = 1;
  for (const Drawn& d : drawn) {
    double missed = 1;
    for (std::uint64_t i = 0; i < std::min(changed, d.all); ++i) {
      const auto left = static_cast<double>(d.all - i);
      missed *= std::max(0.0, left - static_cast<double>(d.chosen)) / left;
    }
    least = std::min(least, 1 - missed);
  }
  return least;
}

Replay choose_blocks(const Registry& registry, const BenchResults& results,
                     const ReplayPlan& plan) {
  Replay replay;
  const Rng random = Rng(plan.seed).split("verify");
  for (std::size_t i = 0; i < results.entries.size(); ++i) try {
      const Entry& entry = results.entries[i];
      const bool untrained = entry.training && !entry.training->error.empty();
      if (!plan.only.empty() && !plan.only[i]) continue;
      if (entry.episodes.empty() && (untrained || failed_episodes(results, i).empty())) continue;
      check_policy_opens(registry, playable(results, entry), plan.opens);
      choose(registry, results, i, random.split(i), plan.share, replay);
    } catch (const Error& error) {
      replay.lines.push_back(entry_text(results, results.entries[i]) + ", " + kNotAgain +
                             error.what());
    }
  return replay;
}

Lines check_block(const BenchResults& results, const Block& block, const BlockResult& played,
                  double tolerance) {
  const Entry& entry = results.entries[block.entry];
  Lines lines;
  const EpisodeCheck check{.env = &results.environments[entry.env],
                           .front = entry_text(results, results.entries[block.entry]) + ", ",
                           .tolerance = entry.network() ? tolerance : 0.0,
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
  for (const std::uint64_t id : failed(results, block))
    if (std::ranges::binary_search(played.episodes, id, {}, &EpisodeResult::id))
      lines.push_back(check.front + "episode " + std::to_string(id) +
                      ": recorded as failed, played again it ends");
  return lines;
}

}  // namespace park::bench
