#include "park/suite/verify.h"

#include <algorithm>
#include <cmath>

#include "park/core/text.h"
#include "park/suite/json_fields.h"
#include "park/suite/record_json.h"

namespace park::suite {
namespace {

using Lines = std::vector<std::string>;

void compare_json(const Json& stored, const Json& computed, const std::string& where, Lines& lines);

void compare_objects(const Json& stored, const Json& computed, const std::string& where,
                     Lines& lines) {
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

void compare_json(const Json& stored, const Json& computed, const std::string& where,
                  Lines& lines) {
  if (stored == computed) return;
  if (stored.is_object() && computed.is_object())
    return compare_objects(stored, computed, where, lines);
  if (stored.is_array() && computed.is_array() && stored.size() == computed.size()) {
    for (std::size_t i = 0; i < stored.size(); ++i)
      compare_json(stored[i], computed[i], where + '[' + std::to_string(i) + ']', lines);
    return;
  }
  lines.push_back(where + ": is " + stored.dump() + ", but the rows give " + computed.dump());
}

std::string file_text(const agents::DataFile& file) {
  return file.path + " (" + std::to_string(file.bytes) + " bytes, " + file.crc32c + ')';
}

std::string files_text(const std::vector<agents::DataFile>& files) {
  std::string text;
  for (const agents::DataFile& file : files) text += (text.empty() ? "" : ", ") + file_text(file);
  return text.empty() ? "no files" : text;
}

void compare_text(const std::string& what, const std::string& recorded, const std::string& here,
                  Lines& lines) {
  if (recorded != here) lines.push_back(what + ": recorded " + recorded + ", here " + here);
}

void compare_env(const EnvFacts& recorded, const EnvFacts& here, Lines& lines) {
  const std::string& name = recorded.text;
  compare_text(name + ": canonical text", recorded.text, here.text, lines);
  compare_text(name + ": version", std::to_string(recorded.version), std::to_string(here.version),
               lines);
  compare_text(name + ": layout_hash", recorded.layout_hash, here.layout_hash, lines);
  for (const auto& [field, value] : recorded.config) {
    const auto at = std::ranges::find(here.config, field, [](auto& f) { return f.first; });
    compare_text(name + ": " + field, value, at == here.config.end() ? "no such field" : at->second,
                 lines);
  }
  compare_text(name + ": data", files_text(recorded.data), files_text(here.data), lines);
}

bool same_host(const agents::TrainingHost& a, const agents::TrainingHost& b) {
  return a.processor == b.processor && a.commit == b.commit && a.compiler == b.compiler;
}

bool agree(double recorded, double here, double tolerance) {
  if (std::isnan(recorded) || std::isnan(here)) return std::isnan(recorded) && std::isnan(here);
  return std::abs(recorded - here) <= tolerance * std::abs(recorded);
}

bool finished(const Entry& entry, std::uint64_t episode) {
  return std::ranges::binary_search(entry.episodes, episode, {}, &EpisodeResult::id);
}

/// Those of an entry whose episodes are all recorded.
std::vector<Block> recorded_blocks(const Registry& registry, const BenchRecord& record,
                                   std::size_t entry) {
  std::vector<Block> blocks = blocks_of(registry, record, entry);
  std::erase_if(blocks, [&](const Block& block) {
    for (std::uint64_t k = block.first; k < block.first + block.count; ++k)
      if (!finished(record.entries[entry], k)) return true;
    return false;
  });
  return blocks;
}

}  // namespace

Lines check_figures(std::string_view text, const std::string& file) {
  const BenchRecord record = parse_record(text, file);
  Lines lines;
  compare_json(Json::parse(text), Json::parse(record_json(record)), "", lines);
  return lines;
}

Lines check_facts(const Registry& registry, const BenchRecord& record) {
  const BenchRecord here = resolve(registry, record.suite);
  Lines lines;
  for (std::size_t e = 0; e < record.environments.size(); ++e)
    compare_env(record.environments[e], here.environments[e], lines);
  for (const Entry& entry : record.entries) {
    const auto same = std::ranges::find_if(here.entries, [&](const Entry& other) {
      return other.env == entry.env && other.policy == entry.policy;
    });
    const std::string what = record.environments[entry.env].text + ", " + entry.policy;
    if (same == here.entries.end())
      lines.push_back(what + ": is no policy of the suite");
    else
      compare_text(what + ": files", files_text(entry.files), files_text(same->files), lines);
  }
  return lines;
}

std::vector<Block> choose_blocks(const Registry& registry, const BenchRecord& record,
                                 std::uint64_t seed) {
  std::vector<Block> chosen;
  for (std::size_t i = 0; i < record.entries.size(); ++i) {
    if (record.entries[i].episodes.empty()) continue;
    std::vector<Block> blocks = recorded_blocks(registry, record, i);
    Rng(seed).split("verify").split(i).shuffle(std::span(blocks));
    std::uint64_t episodes = 0;
    for (std::size_t b = 0; b < blocks.size() && episodes < kReplayed; ++b) {
      chosen.push_back(blocks[b]);
      episodes += blocks[b].count;
    }
  }
  return chosen;
}

Lines check_block(const BenchRecord& record, const Block& block, const BlockResult& played,
                  const agents::TrainingHost& host) {
  const Entry& entry = record.entries[block.entry];
  const EnvFacts& env = record.environments[entry.env];
  const std::string front = env.text + ", " + entry.policy + ", ";
  if (!played.error.empty()) return {front + "could not be played again: " + played.error};
  const double tolerance =
      entry.network() && !same_host(record.host, host) ? kNetworkTolerance : 0.0;
  Lines lines;
  for (std::size_t m = 0; m < env.metrics.size(); ++m) {
    const auto [recorded, here] = paired_values(entry.episodes, played.episodes, m);
    for (std::size_t i = 0; i < recorded.size(); ++i)
      if (!agree(recorded[i], here[i], tolerance))
        lines.push_back(front + "episode " + std::to_string(played.episodes[i].id) + ", " +
                        env.metrics[m].name + ": recorded " + number_text(recorded[i]) +
                        ", played again " + number_text(here[i]));
  }
  return lines;
}

}  // namespace park::suite
