#include "park/suite/verify.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "park/suite/changes.h"
#include "park/suite/record_json.h"
#include "park/suite/scores.h"
#include "small_suite.h"

namespace park::suite {
namespace {

using Json = nlohmann::ordered_json;

const BenchRecord& played() {
  static const BenchRecord record = [] {
    BenchRecord made = small_record();
    play_all(made, 1);
    return made;
  }();
  return record;
}

/// What verify says of the figures after a change of the file.
std::vector<std::string> figures_of(const std::function<void(Json&)>& change) {
  Json json = Json::parse(record_json(played()));
  change(json);
  return check_figures(json.dump(), "r");
}

bool mentions(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.find(text) == 0; });
}

TEST(Verify, AGoodFileAgrees) {
  EXPECT_EQ(figures_of([](Json&) {}), std::vector<std::string>{});
  EXPECT_EQ(check_facts(small_registry(), played()), std::vector<std::string>{});
}

TEST(Verify, AChangedAggregateIsFound) {
  const auto lines =
      figures_of([](Json& json) { json["results"][1]["metrics"]["avg_response_s"]["iqm"] = 1.5; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(mentions(lines, "results[1].metrics.avg_response_s.iqm: is 1.5, but the rows give "));
  EXPECT_TRUE(mentions(figures_of([](Json& json) { json["comparisons"][0]["wins"] = 2; }),
                       "comparisons[0].wins: is 2"));
  EXPECT_TRUE(mentions(figures_of([](Json& json) { json["scores"][0].erase("iqm"); }),
                       "scores[0].iqm: is missing"));
}

TEST(Verify, AChangedRowIsFoundAlsoWhereNoMeanTells) {
  const auto swapped = figures_of([](Json& json) {
    auto& values = json["results"][0]["per_episode"]["avg_response_s"];
    std::swap(values[0], values[1]);
  });
  EXPECT_TRUE(mentions(swapped, "results[0].rows_crc32c"));
  EXPECT_FALSE(mentions(swapped, "results[0].metrics"));
}

TEST(Verify, RowsThatWereForgedWithAllFiguresAreFoundByPlayingAgain) {
  BenchRecord forged = played();
  for (EpisodeResult& episode : forged.entries[1].episodes) episode.metrics[0] *= 0.9;
  EXPECT_EQ(check_figures(record_json(forged), "r"), std::vector<std::string>{});
  std::size_t wrong = 0, right = 0;
  const std::vector<Block> blocks = choose_blocks(small_registry(), forged, 3);
  EXPECT_GE(blocks.size(), forged.entries.size());
  play_blocks(small_registry(), forged, blocks, 1,
              {.stop = [] { return false; },
               .on_block =
                   [&](const Block& block, BlockResult&& result) {
                     const auto lines = check_block(forged, block, result, forged.host);
                     EXPECT_EQ(lines.empty(), block.entry != 1) << lines.size();
                     (lines.empty() ? right : wrong) += 1;
                   }});
  EXPECT_GT(wrong, 0u);
  EXPECT_GE(right, 4u);
}

TEST(Verify, ANetworkMayDifferALittleOnAnotherMachine) {
  BenchRecord record = played();
  record.entries[1].files = {{"policy.safetensors", 1, "00000000"}};
  BlockResult result{.episodes = {record.entries[1].episodes[0]}};
  result.episodes[0].metrics[0] *= 1.005;
  const Block block{1, 0, 1};
  agents::TrainingHost other = record.host;
  EXPECT_EQ(check_block(record, block, result, other).size(), 1u);
  other.processor += " of another kind";
  EXPECT_EQ(check_block(record, block, result, other).size(), 0u);
  result.episodes[0].metrics[0] *= 1.01;
  EXPECT_EQ(check_block(record, block, result, other).size(), 1u);
}

TEST(Verify, AChangedFactIsNamed) {
  BenchRecord record = played();
  record.environments[0].config[0].second = "77";
  record.environments[1].layout_hash = "0";
  record.entries[0].files = {{"x", 3, "12345678"}};
  const std::vector<std::string> lines = check_facts(small_registry(), record);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("servers: recorded 77, here 3"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("layout_hash: recorded 0, here "), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("files: recorded x (3 bytes, 12345678), here no files"),
            std::string::npos);
}

TEST(RecordFile, EveryMistakeIsNamed) {
  const auto wrong_with = [](const std::function<void(Json&)>& change) -> std::string {
    Json json = Json::parse(record_json(played()));
    change(json);
    try {
      static_cast<void>(parse_record(json.dump(), "r"));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(wrong_with([](Json&) {}), "");
  EXPECT_EQ(wrong_with([](Json& json) { json["version"] = 99; }),
            "r: version 99 is newer than 1, which this program reads");
  EXPECT_EQ(wrong_with([](Json& json) { json["results"][0]["episode_ids"].erase(0); }),
            "results[0]: episode_ids, episode_decisions and episode_events differ in length");
  EXPECT_EQ(wrong_with([](Json& json) { json["results"][2]["environment"] = 9; }),
            "results[2].environment: is not the number of one of the environments");
  EXPECT_EQ(wrong_with([](Json& json) { json["results"][0]["per_episode"]["extra"] = 1; }),
            "results[0].per_episode.extra: there is no such member");
}

TEST(Scores, CountFromRandomToTheBestBaseline) {
  const auto scale = scale_of(played(), 0);
  ASSERT_TRUE(scale.has_value());
  EXPECT_EQ(played().entries[scale->random].policy, "random");
  EXPECT_EQ(played().entries[scale->best].policy, "least_work");
  EXPECT_DOUBLE_EQ(scale->score(scale->zero), 0);
  EXPECT_DOUBLE_EQ(scale->score(scale->one), 1);
  EXPECT_LT(scale->one, scale->zero);  // lower is better there
  const std::vector<PolicyScores> all = policy_scores(played());
  EXPECT_EQ(all.front().policy, "random");
  EXPECT_EQ(all.front().environments.size(), 2u);
  EXPECT_NEAR(mean_of(all.front().scores), 0, 1e-9);
}

TEST(Changes, SayWhatIsBeyondNoise) {
  BenchRecord after = played();
  for (EpisodeResult& episode : after.entries[1].episodes) episode.metrics[0] *= 0.8;
  for (const Change& change : changes(played(), after)) {
    const bool changed = change.policy == "least_work" && change.metric.name == "avg_response_s";
    EXPECT_TRUE(change.paired);
    EXPECT_EQ(change.differing, changed ? 11u : 0u) << change.policy;
    EXPECT_EQ(change.beyond_noise(), changed) << change.policy;
    EXPECT_EQ(change.better(), changed) << change.policy;
  }
  EXPECT_TRUE(unmatched(played(), after).empty());
  after.entries.pop_back();
  EXPECT_EQ(unmatched(played(), after).size(), 1u);
  after.suite.seed = 6;
  EXPECT_FALSE(changes(played(), after).front().paired);
}

}  // namespace
}  // namespace park::suite
