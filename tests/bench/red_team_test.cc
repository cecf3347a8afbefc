// Forgers against verification. Each knows the format: after the change all figures and hashes are
// computed again, unless the file itself is changed. Verification with all blocks has to complain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "park/bench/bundled.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/figures.h"
#include "park/bench/results_json.h"
#include "park/bench/summary.h"
#include "park/bench/trained_file.h"
#include "park/bench/verify.h"
#include "small_suite.h"

namespace park::bench {
namespace red_team_test {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

// Entries of the small suite: random, least_work, power_of_d(d=3); random, round_robin.
constexpr std::size_t kRandom = 0, kBest = 1, kJudged = 2;

struct Forgery {
  const char* name;
  std::function<void(BenchResults&)> forge{};
  std::function<void(Json&)> change{};  ///< of the file, after that
};

/// Takes the worst fifth of an entry's episodes out and says that they failed.
void drop_worst(BenchResults& results, std::size_t entry) {
  auto& episodes = results.entries[entry].episodes;
  for (std::size_t n = episodes.size() / 5; n > 0; --n) {
    const auto worst = std::ranges::max_element(
        episodes, {}, [](const EpisodeResult& e) { return metric_value(e, 0); });
    results.failures.push_back({entry, worst->id, 1, "out of memory"});
    episodes.erase(worst);
  }
}

void scale_rows(Entry& entry, double factor, std::size_t from = 0, std::size_t count = 1000) {
  for (std::size_t i = from; i < std::min(entry.episodes.size(), from + count); ++i)
    for (double& value : entry.episodes[i].metrics) value *= factor;
}

const std::vector<Forgery>& forgeries() {
  static const std::vector<Forgery> all{
      {"WorstAreFailures", [](BenchResults& r) { drop_worst(r, kJudged); }},
      {"AllAreFailures",
       [](BenchResults& r) {
         r.entries[kBest].episodes.clear();
         r.failures.push_back({kBest, 0, 11, "it does not start"});
       }},
      {"ARivalFails",
       [](BenchResults& r) {
         r.failures.push_back({kBest, 4, 1, "it broke"});
       },
       [](Json& json) { json["results"][kBest]["metrics"]["avg_response_s"]["mean"] = 99; }},
      {"RowsOnePercentBetter", [](BenchResults& r) { scale_rows(r.entries[kJudged], 0.99); }},
      {"ABlockBetter", [](BenchResults& r) { scale_rows(r.entries[kJudged], 0.9, 0, 8); }},
      {"ARowALittleBetter", [](BenchResults& r) { scale_rows(r.entries[kJudged], 0.999, 9, 1); }},
      {"ABaselineWorse", [](BenchResults& r) { scale_rows(r.entries[kBest], 1.5); }},
      {"AnotherHost",
       [](BenchResults& r) {
         r.host.processor = "another one";
         r.host.commit = "0";
         scale_rows(r.entries[kJudged], 0.995);
       }},
      {"SaysItIsANetwork",
       [](BenchResults& r) {
         r.entries[kJudged].files = {{"policy.safetensors", 1, "00000000"}};
         scale_rows(r.entries[kJudged], 0.995);
       }},
      {"RowsOfABetterPolicy",
       [](BenchResults& r) { r.entries[kJudged].episodes = r.entries[kBest].episodes; }},
      {"RowsExchanged",
       [](BenchResults& r) {
         auto& rows = r.entries[kJudged].episodes;
         std::swap(rows[0].metrics, rows[10].metrics);
       }},
      {"BadRowsUndefined",
       [](BenchResults& r) { r.entries[kJudged].episodes[3].metrics[0] = kUndefined; }},
      {"EpisodesTakenOut", [](BenchResults& r) { r.entries[kJudged].episodes.pop_back(); }},
      {"EpisodesOfOtherNumbers",
       [](BenchResults& r) {
         for (EpisodeResult& e : r.entries[kJudged].episodes) e.id += 20;
       }},
      {"AResultTakenOut",
       [](BenchResults& r) { r.entries.erase(r.entries.begin() + static_cast<long>(kBest)); }},
      {"ABaselineNoBaseline", [](BenchResults& r) { r.entries[kBest].baseline = false; }},
      {"ABadPolicyIsTheBound", [](BenchResults& r) { r.entries[kJudged].bound = true; }},
      {"TheBestOfTwo",
       [](BenchResults& r) {
         r.entries.push_back(r.entries[kJudged]);
         scale_rows(r.entries.back(), 0.5);
       }},
      {"WorseIsBetter",
       [](BenchResults& r) { r.environments[0].metrics[0].lower_is_better = false; }},
      {"AnEasierEnvironment",
       [](BenchResults& r) {
         std::ranges::find(r.environments[0].config, "servers", [](const auto& field) {
           return field.first;
         })->second = "30";
       }},
      {"AnotherSeed", [](BenchResults& r) { r.suite.seed += 1; }},
      {"AnotherVersion", [](BenchResults& r) { r.environments[1].version += 1; }},
      {"Unfinished",
       [](BenchResults& r) {
         r.interrupted = true;
         r.entries[kJudged].episodes.resize(2);
       }},
      {"DecisionsOfAnother",
       [](BenchResults& r) { r.entries[kJudged].episodes[0].decisions += 1; }},
      {"TheNameOfABundledSuite", [](BenchResults& r) { r.suite.name = "load-balance-v2"; }},
      {"AMeanInTheFile",
       {},
       [](Json& json) { json["results"][kJudged]["metrics"]["avg_response_s"]["mean"] = 0.1; }},
      {"AnIntervalInTheFile",
       {},
       [](Json& json) { json["comparisons"][1]["bootstrap95"][1] = -1; }},
      {"AScaleInTheFile", {}, [](Json& json) { json["scales"][0]["one"] = 1000; }},
      {"ARowInTheFile",
       {},
       [](Json& json) { json["results"][kRandom]["per_episode"]["jobs_done"][0] = 1; }},
      {"LinksSwapped",
       {},
       [](Json& json) {
         Json& links = json["results"][kJudged]["links"];
         std::swap(links[0], links[1]);
       }},
      {"AMemberMore", {}, [](Json& json) { json["scores"][0]["medal"] = "gold"; }},
  };
  return all;
}

/// All that `park bench verify --share 1` says beside the figures, which agree where a forger computes
/// them again.
Lines verify(const BenchResults& results) {
  const Facts facts = check_facts(small_registry(), results);
  Lines lines = facts.lines;
  const auto add = [&](const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); };
  add(check_complete(results));
  const Replay replay =
      choose_blocks(small_registry(), results, {.seed = 1, .share = 1, .only = facts.agree});
  add(replay.lines);
  play_blocks(
      small_registry(), results, replay.blocks, 1,
      {.stop = [] { return false; },
       .on_block = [&](const Block& block,
                       BlockResult&& result) { add(check_block(results, block, result)); }});
  return lines;
}

class RedTeam : public ::testing::TestWithParam<Forgery> {};

TEST_P(RedTeam, IsFound) {
  BenchResults forged = played();
  if (GetParam().forge) GetParam().forge(forged);
  Lines lines = verify(forged);
  if (GetParam().change) {
    Json json = Json::parse(results_json(forged));
    GetParam().change(json);
    lines = check_figures(json.dump(), "r");
  }
  EXPECT_FALSE(lines.empty());
}

TEST(RedTeamItself, AnHonestFileIsNotAccused) { EXPECT_EQ(verify(played()), Lines{}); }

/// What the attack was worth: it no longer is.
TEST(RedTeamItself, DroppedEpisodesDoNotImproveTheMean) {
  BenchResults forged = played();
  drop_worst(forged, kJudged);
  const auto mean = [](const BenchResults& results) {
    return Json::parse(
               results_json(results))["results"][kJudged]["metrics"]["avg_response_s"]["mean"]
        .get<double>();
  };
  EXPECT_GE(mean(forged), mean(played()));
}

/// Without a word of its training inputs a suite trains on what it judges by.
TEST(RedTeamItself, ASuiteThatTrainsOnHeldOutInputsIsNotTheBundledOne) {
  const auto lines = [](const std::string& name, std::size_t e, auto SuiteTuning::*inputs) {
    Suite forged = read_suite(name);
    (forged.environments[e].tuning.*inputs).clear();
    return changes_of_bundled(forged).size();
  };
  std::size_t forged = 0;
  for (const std::string& name : bundled_suites()) {
    const Suite suite = read_suite(name);
    for (std::size_t e = 0; e < suite.environments.size(); ++e) {
      const SuiteTuning& tuning = suite.environments[e].tuning;
      if (tuning.training.empty() || tuning.validation.empty()) continue;
      ++forged;
      EXPECT_GE(lines(name, e, &SuiteTuning::training), 1u) << name;
      EXPECT_EQ(lines(name, e, &SuiteTuning::validation), 1u) << name;
    }
  }
  EXPECT_GT(forged, 0u);
}

/// A checkpoint that saw other inputs, or more of them, than the suite trains on.
TEST(RedTeamItself, ATrainingWithAnySettingOfItsOwnIsFound) {
  const runs::TrainSettings asked{.env = "x", .decisions = 9};
  const auto lines = [&](const std::function<void(runs::TrainSettings&)>& forge) {
    runs::TrainSettings forged = asked;
    forge(forged);
    return compare_settings(asked, forged);
  };
  EXPECT_EQ(lines([](auto&) {}), Lines{});
  EXPECT_EQ(lines([](auto& s) { s.validate_on = "x"; }), Lines{}) << "it is the same one";
  EXPECT_EQ(lines([](auto& s) { s.mixture.parts = "x(jobs=2)"; }),
            Lines{"mixture is x(jobs=2), but the suite asks for nothing"});
  EXPECT_EQ(lines([](auto& s) { s.validate_on = "x(jobs=2)"; }),
            Lines{"validate_on is x(jobs=2), but the suite asks for x"});
  EXPECT_EQ(lines([](auto& s) { s.decisions = 90; }),
            Lines{"decisions is 90, but the suite asks for 9"});
  EXPECT_EQ(lines([](auto& s) { s.guidance.replay = 0.5; }),
            Lines{"replay is 0.5, but the suite asks for 0"});
}

INSTANTIATE_TEST_SUITE_P(Forgers, RedTeam, ::testing::ValuesIn(forgeries()),
                         [](const auto& forgery) { return std::string(forgery.param.name); });

}  // namespace red_team_test
}  // namespace park::bench
