// Verification of results: every figure, fact or row that is forged is named.
#include "park/bench/verify.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "park/bench/changes.h"
#include "park/bench/results_json.h"
#include "small_suite.h"

namespace park::bench {
namespace verify_test {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

/// What verify says of the figures after a change of the file.
std::vector<std::string> figures_of(const std::function<void(Json&)>& change) {
  Json json = Json::parse(results_json(played()));
  change(json);
  return check_figures(json.dump(), "r");
}

bool mentions(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.find(text) == 0; });
}

TEST(Verify, AGoodFileAgrees) {
  EXPECT_EQ(figures_of([](Json&) {}), std::vector<std::string>{});
  EXPECT_EQ(check_facts(small_registry(), played()).lines, Lines{});
}

TEST(Verify, AChangedAggregateIsFound) {
  const auto lines =
      figures_of([](Json& json) { json["results"][1]["metrics"]["avg_response_s"]["iqm"] = 1.5; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(mentions(lines, "results[1].metrics.avg_response_s.iqm: is 1.5, but the rows give "));
  EXPECT_EQ(figures_of([](Json& json) { json["comparisons"].erase(0); }),
            (Lines{"comparisons: has 6 elements, but the rows give 7"}));
  EXPECT_TRUE(mentions(
      figures_of([](Json& json) { json["comparisons"][0]["probability_of_improvement"] = 2; }),
      "comparisons[0].probability_of_improvement: is 2"));
  EXPECT_TRUE(
      mentions(figures_of([](Json& json) { json["standings"][2]["percent_better"]["value"] = 50; }),
               "standings[2].percent_better.value: is 50"));
  EXPECT_TRUE(mentions(figures_of([](Json& json) { json["scores"][0].erase("iqm"); }),
                       "scores[0].iqm: is missing"));
}

TEST(Verify, UnknownMembersAreNamedHoweverManyThereAre) {
  const auto lines = figures_of([](Json& json) {
    Json& metrics = json["results"][1]["metrics"];
    for (int i = 0; i < 1000; ++i) metrics.emplace("m" + std::to_string(i), i);
  });
  ASSERT_EQ(lines.size(), 1000U);
  EXPECT_EQ(lines[0], "results[1].metrics.m0: there is no such member");
  EXPECT_EQ(lines[999], "results[1].metrics.m999: there is no such member");
}

TEST(Verify, AnErrorNamesTheLineOrTheMember) {
  const auto complaint = [](const std::string& text) {
    try {
      (void)check_figures(text, "r");
      return std::string("no error");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(complaint("{\n\"schema\": \"park.bench\",,").find("r:2: no JSON: "), 0U);
  Json json = Json::parse(results_json(played()));
  json.erase("suite");
  EXPECT_EQ(complaint(json.dump()), "r.suite: is missing; it is an object");
}

TEST(Verify, AChangedRowIsFoundAlsoWhereNoMeanTells) {
  const auto swapped = figures_of([](Json& json) {
    auto& values = json["results"][0]["per_episode"]["avg_response_s"];
    std::swap(values[0], values[1]);
  });
  EXPECT_TRUE(mentions(swapped, "results[0].rows_sha256"));
  EXPECT_FALSE(mentions(swapped, "results[0].metrics"));
}

TEST(Verify, TheFirstLinkThatDiffersIsNamed) {
  const auto change = [](std::size_t episode) {
    return figures_of([&](Json& json) { json["results"][0]["episode_events"][episode] = 1; });
  };
  const std::string policy = "the first link that differs, load_balance(servers=3,jobs=40), random";
  for (const auto& [episode, link, block] :
       {std::tuple{3, "[0]", "episodes 0 to 7"}, std::tuple{9, "[1]", "episodes 8 to 15"}}) {
    const Lines lines = change(static_cast<std::size_t>(episode));
    EXPECT_TRUE(mentions(lines, std::string("results[0].links") + link + ": is ")) << lines[0];
    EXPECT_TRUE(lines[0].ends_with(policy + ", " + block)) << lines[0];
    EXPECT_EQ(std::ranges::count_if(
                  lines, [](auto& line) { return line.find("].links") != std::string::npos; }),
              1);
  }
  EXPECT_EQ(figures_of([](Json& json) { json["results"][1].erase("links"); }),
            Lines{"results[1].links: is no list of 2 links"});
  EXPECT_EQ(figures_of([](Json& json) { json["results"][1]["links"].push_back(""); }),
            Lines{"results[1].links: is no list of 2 links"});
  EXPECT_EQ(figures_of([](Json& json) { json["results"][1]["links"][1] = 5; }).size(), 1u);
}

TEST(ReadResults, RowsHaveTheHashThatStandsBesideThem) {
  const std::string file = ::testing::TempDir() + "/rows.json";
  const auto complaint = [&](const std::function<void(Json&)>& change) -> std::string {
    Json json = Json::parse(results_json(played()));
    change(json);
    std::ofstream(file) << json.dump();
    try {
      static_cast<void>(read_results(file));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint([](Json&) {}), "");
  const std::string expected =
      file +
      ": results[1].rows_sha256: is not that of the rows; park bench verify names what was changed";
  const auto metric = [](Json& json) -> Json& {
    return json["results"][1]["per_episode"].begin().value()[0];
  };
  EXPECT_EQ(complaint([&](Json& json) { metric(json) = metric(json).get<double>() + 1; }),
            expected);
  EXPECT_EQ(complaint([](Json& json) { json["results"][1].erase("rows_sha256"); }), expected);
}

TEST(Verify, AnOlderVersionIsReadButNotVerified) {
  Json json = Json::parse(results_json(played()));
  json["version"] = 1;
  for (Json& result : json["results"]) {
    result.erase("links");
    result.erase("rows_sha256");
    result["rows_crc32c"] = "00000000";
    result["files"] = Json::array({{{"path", "x"}, {"bytes", 3}, {"crc32c", "12345678"}}});
  }
  EXPECT_EQ(parse_results(json.dump(), "r").entries[0].episodes.size(), 11u);
  EXPECT_EQ(check_figures(json.dump(), "r"),
            Lines{"r: has version 1, whose figures and hashes this program does not compute; it "
                  "verifies version 2"});
  json["version"] = 2;
  try {
    (void)check_figures(json.dump(), "r");
    ADD_FAILURE() << "a file of version 2 without SHA-256";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("results[0].files[0].sha256: is missing"), 0U);
  }
}

/// All that verify says of results beside its figures, which a forger computes again.
std::vector<std::string> lines_of(const std::function<void(BenchResults&)>& forge) {
  BenchResults forged = played();
  forge(forged);
  const Facts facts = check_facts(small_registry(), forged);
  Lines lines = facts.lines;
  const auto add = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  add(check_complete(forged));
  const Replay replay = choose_blocks(small_registry(), forged, {.seed = 3, .only = facts.agree});
  add(replay.lines);
  play_blocks(small_registry(), forged, replay.blocks, 1,
              {.stop = [] { return false; },
               .on_block = [&](const Block& block,
                               BlockResult&& result) { add(check_block(forged, block, result)); }});
  return lines;
}

const std::string kBalance = "load_balance(servers=3,jobs=40)";
const std::string kPair = "load_balance(servers=2,jobs=60)";

/// Some episode was played again and a figure of it is another one.
bool differs(const Lines& lines, const std::string& result, const std::string& figure) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    return line.starts_with(result + ", episode ") &&
           line.find(", " + figure + ": recorded ") != std::string::npos;
  });
}

TEST(Verify, AGoodRecordAgrees) {
  EXPECT_EQ(lines_of([](BenchResults&) {}), Lines{});
}

TEST(Verify, ForgedRowsAreFoundByPlayingAgain) {
  const auto forge = [](BenchResults& results) {
    for (EpisodeResult& episode : results.entries[1].episodes) episode.metrics[0] *= 0.9;
  };
  BenchResults forged = played();
  forge(forged);
  EXPECT_EQ(check_figures(results_json(forged), "r"), Lines{});
  const Lines lines = lines_of(forge);
  ASSERT_GE(lines.size(), kReplayed - 2);  // a block has 8 episodes, the last one 3
  for (const std::string& line : lines)
    EXPECT_EQ(line.find(kBalance + ", least_work, episode "), 0u) << line;
}

TEST(Verify, ResultsThatWereTakenOutAreMissed) {
  EXPECT_EQ(
      lines_of([](BenchResults& results) { results.entries.erase(results.entries.begin() + 1); }),
      Lines{kBalance + ", least_work: has no result"});
  EXPECT_EQ(lines_of([](BenchResults& results) { results.entries.clear(); }).size(), 5u);
  EXPECT_EQ(lines_of([](BenchResults& results) { results.entries.push_back(results.entries[0]); }),
            Lines{kBalance + ", random: is there twice"});
}

TEST(Verify, EpisodesThatWereTakenOutAreMissedAndTheOthersPlayedAgain) {
  const Lines lines = lines_of([](BenchResults& results) {
    for (Entry& entry : results.entries)
      std::erase_if(entry.episodes, [](auto& episode) { return episode.id % 8 == 0; });
    for (EpisodeResult& episode : results.entries[1].episodes) episode.metrics[0] *= 1.5;
  });
  EXPECT_TRUE(std::ranges::count(lines, kBalance + ", random: episode 0 is missing"));
  EXPECT_TRUE(std::ranges::count(lines, kPair + ", round_robin: episode 0 is missing"));
  EXPECT_TRUE(differs(lines, kBalance + ", least_work", "avg_response_s"));
}

TEST(Verify, EpisodesOfNoSuiteAreNamed) {
  const Lines lines = lines_of([](BenchResults& results) {
    for (EpisodeResult& episode : results.entries[0].episodes) episode.id += 1000;
  });
  EXPECT_EQ(lines, (Lines{kBalance + ", random: episode 1010 is none of the suite's 11",
                          kBalance + ", random: episode 0 is missing"}));
}

TEST(Verify, EpisodesThatFailedAreNotMissingButPlayedAgain) {
  const auto lose = [](BenchResults& results) {
    auto& episodes = results.entries[2].episodes;
    episodes.erase(episodes.begin() + 3, episodes.begin() + 5);
  };
  EXPECT_EQ(lines_of(lose), Lines{kBalance + ", power_of_d(d=3): episode 3 is missing"});
  EXPECT_EQ(
      lines_of([&](BenchResults& results) {
        lose(results);
        results.failures.push_back({2, 3, 2, "a number got lost"});
      }),
      (Lines{kBalance + ", power_of_d(d=3), episode 3: recorded as failed, played again it ends",
             kBalance + ", power_of_d(d=3), episode 4: recorded as failed, played again it ends"}));
  EXPECT_EQ(lines_of([&](BenchResults& results) {
              lose(results);
              results.interrupted = true;
            }),
            Lines{"interrupted: the results are not complete"});
}

TEST(Verify, WhatIsABaselineAndWhatIsBetterCannotBeChanged) {
  EXPECT_EQ(lines_of([](BenchResults& results) { results.entries[1].baseline = false; }),
            Lines{kBalance + ", least_work: baseline: recorded no, here yes"});
  EXPECT_EQ(lines_of([](BenchResults& results) { results.entries[2].bound = true; }),
            Lines{kBalance + ", power_of_d(d=3): bound: recorded yes, here no"});
  const Lines lines = lines_of([](BenchResults& results) {
    Metric& metric = results.environments[0].metrics[0];
    metric.lower_is_better = !metric.lower_is_better;
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find(kBalance + ": metrics: recorded avg_response_s [s], higher is better"),
            0u)
      << lines[0];
}

TEST(Verify, DecisionsAndEventsArePlayedAgain) {
  const Lines lines = lines_of([](BenchResults& results) {
    for (EpisodeResult& episode : results.entries[0].episodes) episode.decisions = 1;
    for (EpisodeResult& episode : results.entries[1].episodes) episode.events += 1;
  });
  EXPECT_TRUE(differs(lines, kBalance + ", random", "decisions"));
  EXPECT_TRUE(differs(lines, kBalance + ", least_work", "events"));
}

TEST(Verify, EveryFieldOfTheConfigurationIsThere) {
  const std::size_t fields = played().suite.environments[0].config.size();
  EXPECT_EQ(lines_of([](BenchResults& results) { results.environments[0].config.clear(); }),
            Lines{kBalance + ": config: recorded 0, here " + std::to_string(fields)});
}

TEST(Verify, APolicyThatIsGoneIsOneLine) {
  BenchResults results = played();
  results.entries[4].policy = "gone";
  const Replay replay = choose_blocks(small_registry(), results, {.seed = 3});
  ASSERT_EQ(replay.lines.size(), 1u);
  EXPECT_EQ(replay.lines[0].find(kPair + ", gone, could not be played again: "), 0u);
  EXPECT_EQ(std::ranges::count(replay.blocks, 4u, &Block::entry), 0);
}

TEST(Verify, ANetworkMayDifferByTheToleranceThatIsAskedFor) {
  BenchResults results = played();
  BlockResult result{.episodes = {results.entries[1].episodes[0]}};
  result.episodes[0].metrics[0] *= 1.005;
  const Block block{1, 0, 1};
  EXPECT_EQ(check_block(results, block, result, 0.01).size(), 1u) << "it is no network";
  results.entries[1].files = {{"policy.safetensors", 1, "00000000"}};
  EXPECT_EQ(check_block(results, block, result).size(), 1u);
  EXPECT_EQ(check_block(results, block, result, 0.01).size(), 0u);
  result.episodes[0].metrics[0] *= 1.01;
  EXPECT_EQ(check_block(results, block, result, 0.01).size(), 1u);
}

TEST(Verify, AllBlocksOrAShareOfThemArePlayedAgain) {
  const auto chosen = [](double share) {
    return choose_blocks(small_registry(), played(), {.seed = 3, .share = share});
  };
  const Replay few = chosen(0), half = chosen(0.5), all = chosen(1);
  EXPECT_GE(few.blocks.size(), 5u);  // one each: 8 episodes, or the last ones and then 8 more
  EXPECT_LT(few.blocks.size(), 10u);
  EXPECT_EQ(all.blocks.size(), 10u);
  EXPECT_EQ(all.episodes, 3 * 11u + 2 * 9u);
  EXPECT_LE(half.blocks.size(), all.blocks.size());
  EXPECT_DOUBLE_EQ(all.finds(1), 1);
  EXPECT_DOUBLE_EQ(few.finds(2), 1) << "of two blocks one is played";
  EXPECT_DOUBLE_EQ(few.finds(1), 0.5);
  EXPECT_DOUBLE_EQ(Replay{}.finds(3), 1);
  const Replay some{.drawn = {{.all = 100, .chosen = 50}, {.all = 100, .chosen = 5}}};
  EXPECT_NEAR(some.finds(1), 0.05, 1e-12);
  EXPECT_NEAR(some.finds(3), 1 - 95.0 * 94 * 93 / (100.0 * 99 * 98), 1e-12);
}

TEST(Verify, AChangedFactIsNamed) {
  BenchResults results = played();
  results.environments[0].config[0].second = "77";
  results.environments[1].layout_hash = "0";
  results.entries[0].files = {{"x", 3, "12345678", "9abc"}};
  const Lines lines = check_facts(small_registry(), results).lines;
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("config: recorded servers=77, here servers=3"), std::string::npos)
      << lines[0];
  EXPECT_NE(lines[1].find("layout_hash: recorded 0, here "), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("files: recorded x (3 bytes, SHA-256 9abc), here no files"),
            std::string::npos);
}

TEST(RecordFile, EveryMistakeIsNamed) {
  const auto wrong_with = [](const std::function<void(Json&)>& change) -> std::string {
    Json json = Json::parse(results_json(played()));
    change(json);
    try {
      static_cast<void>(parse_results(json.dump(), "r"));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(wrong_with([](Json&) {}), "");
  EXPECT_EQ(wrong_with([](Json& json) { json["version"] = 99; }),
            "r: version 99 is newer than 2, which this program reads");
  EXPECT_EQ(wrong_with([](Json& json) { json["results"][0]["episode_ids"].erase(0); }),
            "results[0]: episode_ids, episode_decisions and episode_events differ in length");
  EXPECT_EQ(wrong_with([](Json& json) { json["results"][2]["environment"] = 9; }),
            "results[2].environment: is not the number of one of the environments");
  EXPECT_EQ(wrong_with([](Json& json) { json["results"][0]["per_episode"]["extra"] = 1; }),
            "results[0].per_episode.extra: there is no such member");
}

TEST(Changes, SayWhatIsBeyondNoise) {
  BenchResults after = played();
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
  after.suite.seed = played().suite.seed;
  EXPECT_TRUE(changes(played(), after).front().paired);
  after.environments[0].data = {{"traces", 3, "12345678"}};
  EXPECT_FALSE(changes(played(), after).front().paired);
}

}  // namespace verify_test
}  // namespace park::bench
