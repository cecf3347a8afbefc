#include "park/bench/row_links.h"

#include <algorithm>
#include <cmath>

#include "park/bench/blocks.h"
#include "park/core/text.h"
#include "park/files/sha256.h"

namespace park::bench {
namespace {

/// What the rows belong to, each text behind its length, so that no two lists are one text.
std::string chain_seed(const BenchResults& results, const Entry& entry) {
  const EnvFacts& env = results.environments[entry.env];
  std::string text;
  for (const std::string& part : {env.text, std::to_string(env.version), env.layout_hash,
                                  entry.policy, std::to_string(results.suite.seed)})
    text += std::to_string(part.size()) + ':' + part + ',';
  return files::sha256_text(text);
}

/// Numbers are as in the file.
std::string row_text(const EnvFacts& env, const EpisodeResult& episode) {
  std::string row = std::to_string(episode.id) + ' ' + std::to_string(episode.decisions) + ' ' +
                    std::to_string(episode.events);
  for (std::size_t m = 0; m < env.metrics.size(); ++m) {
    const double value = metric_value(episode, m);
    row += ' ' + (std::isfinite(value) ? number_text(value) : "null");
  }
  return row + '\n';
}

}  // namespace

std::vector<RowLink> row_links(const BenchResults& results, const Entry& entry) {
  const EnvFacts& env = results.environments[entry.env];
  std::vector<RowLink> links;
  std::string before = chain_seed(results, entry);
  for (auto at = entry.episodes.begin(); at != entry.episodes.end();) {
    const std::uint64_t first = at->id - at->id % kBlockEpisodes;
    std::string text = before + '\n';
    for (; at != entry.episodes.end() && at->id - first < kBlockEpisodes; ++at)
      text += row_text(env, *at);
    before = files::sha256_text(text);
    links.push_back({first, first + (kBlockEpisodes - 1), before});
  }
  return links;
}

std::string rows_sha256(const BenchResults& results, const Entry& entry) {
  const std::vector<RowLink> links = row_links(results, entry);
  return links.empty() ? chain_seed(results, entry) : links.back().sha256;
}

}  // namespace park::bench
