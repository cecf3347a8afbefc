// What `park run` prints of results: JSON, files and texts, from results that are made by hand.
#include "cli/play/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace park::cli {
namespace results_test {

PolicyResult policy(const std::string& name, const std::vector<std::pair<int, double>>& delays) {
  PolicyResult result{.policy = name, .episodes = {}, .wall_s = 0.5};
  for (const auto& [id, delay_s] : delays)
    result.episodes.push_back({.id = static_cast<std::uint64_t>(id),
                               .decisions = 10,
                               .events = 100,
                               .reward = -delay_s,
                               .metrics = {delay_s}});
  return result;
}

Results two_policies() {
  return {.plan = {.env = "line(servers=2)", .seed = 9, .episodes = 3},
          .metrics = {{"delay_s", "s", true, "mean delay"}, {"reward", "1", false, ""}},
          .policies = {policy("a", {{0, 11}, {1, 22}, {2, 33}}),
                       policy("b(c=1)", {{0, 10}, {1, 20}, {2, 30}})}};
}

TEST(Results, RewardJoinsTheMetricsUnlessNamedSo) {
  Spec spec;
  spec.metrics = {{"delay_s", "s", true, ""}};
  ASSERT_EQ(result_metrics(spec).size(), 2u);
  EXPECT_EQ(result_metrics(spec)[1].name, "reward");
  EXPECT_FALSE(result_metrics(spec)[1].lower_is_better);
  spec.metrics[0].name = "reward";
  EXPECT_EQ(result_metrics(spec).size(), 1u);
}

TEST(Results, ColumnsAreTheMetricsAndThenTheReward) {
  const PolicyResult result = policy("a", {{0, 11}, {1, 22}});
  EXPECT_EQ(column(result, 0), (std::vector<double>{11, 22}));
  EXPECT_EQ(column(result, 1), (std::vector<double>{-11, -22}));
}

TEST(Results, DifferencesPairEpisodesByNumber) {
  const PolicyResult a = policy("a", {{0, 1}, {2, 3}, {3, 4}, {7, 100}});
  const PolicyResult b = policy("b", {{1, 50}, {2, 1}, {3, 1}});
  const Summary difference = paired_difference(a, b, 0);
  EXPECT_EQ(difference.count, 2u);
  EXPECT_DOUBLE_EQ(difference.mean, 2.5);
}

TEST(Results, JsonHasThePublishedShape) {
  const auto json = nlohmann::ordered_json::parse(results_json(two_policies()));
  ASSERT_EQ(json.size(), 1u);
  ASSERT_EQ(json.at("results").size(), 2u);
  const auto& one = json["results"][1];
  std::vector<std::string> keys;
  for (const auto& [key, value] : one.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"env", "policy", "seed", "episodes", "metrics",
                                            "per_episode", "decisions", "events", "wall_s"}));
  EXPECT_EQ(one["env"], "line(servers=2)");
  EXPECT_EQ(one["policy"], "b(c=1)");
  EXPECT_EQ(one["seed"], 9);
  EXPECT_EQ(one["episodes"], 3);
  EXPECT_EQ(one["decisions"], 30);
  EXPECT_EQ(one["events"], 300);
  EXPECT_EQ(one["per_episode"]["delay_s"], (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(one["per_episode"]["reward"], (std::vector<double>{-10, -20, -30}));
  const auto& delay = one["metrics"]["delay_s"];
  EXPECT_EQ(delay["mean"], 20);
  EXPECT_EQ(delay["sd"], 10);
  EXPECT_EQ(delay["unit"], "s");
  EXPECT_EQ(delay["better"], "lower");
  EXPECT_EQ(one["metrics"]["reward"]["better"], "higher");
  EXPECT_NEAR(delay["ci95"][0].get<double>(), 20 - 4.302652730 * 10 / std::sqrt(3.0), 1e-7);
  EXPECT_NEAR(delay["ci95"][1].get<double>(), 20 + 4.302652730 * 10 / std::sqrt(3.0), 1e-7);
}

TEST(Results, UndefinedFiguresAreNull) {
  Results results = two_policies();
  results.policies = {policy("a", {{0, NAN}})};
  const auto json = nlohmann::json::parse(results_json(results));
  const auto& one = json["results"][0];
  EXPECT_TRUE(one["metrics"]["delay_s"]["mean"].is_null());
  EXPECT_TRUE(one["metrics"]["delay_s"]["sd"].is_null());
  EXPECT_TRUE(one["metrics"]["delay_s"]["ci95"][0].is_null());
  EXPECT_TRUE(one["per_episode"]["delay_s"][0].is_null());
}

TEST(Results, AnInterruptTellsWhichEpisodesThereAre) {
  Results results = two_policies();
  results.interrupted = true;
  const auto json = nlohmann::json::parse(results_json(results));
  EXPECT_EQ(json.at("interrupted"), true);
  EXPECT_EQ(json["results"][0].at("episode_ids"), (std::vector<int>{0, 1, 2}));
  EXPECT_NE(results_text(results, 110).find("interrupted"), std::string::npos);
}

TEST(Results, EpisodesThatAreNotHeldOutAreCalledSo) {
  Results results = two_policies();
  results.plan.phase = Phase::validate;
  EXPECT_EQ(nlohmann::json::parse(results_json(results)).at("phase"), "validate");
  EXPECT_NE(results_text(results, 110).find("3 validation episodes, seed 9"), std::string::npos);
  results.plan.phase = Phase::train;
  EXPECT_EQ(nlohmann::json::parse(results_file(results)).at("phase"), "train");
  EXPECT_NE(results_text(results, 110).find("3 training episodes, seed 9"), std::string::npos);
}

TEST(Results, FileNamesItsSchema) {
  const auto json = nlohmann::json::parse(results_file(two_policies()));
  EXPECT_EQ(json.at("schema"), "park.results");
  EXPECT_EQ(json.at("version"), kResultsVersion);
  EXPECT_FALSE(json.at("park").at("commit").get<std::string>().empty());
  EXPECT_EQ(json.at("results").size(), 2u);
}

TEST(Results, TextShowsThePairedDifference) {
  const std::string text = results_text(two_policies(), 110);
  EXPECT_NE(text.find("3 episodes, seed 9, paired"), std::string::npos) << text;
  EXPECT_NE(text.find("delay_s [s], lower is better"), std::string::npos) << text;
  EXPECT_NE(text.find("20.00  *"), std::string::npos) << text;       // b is better
  EXPECT_NE(text.find("-2.00  -9.1 %"), std::string::npos) << text;  // -2 against 22
}

TEST(Results, RoundingIsNoDifference) {
  Results results = two_policies();
  results.policies[1] = policy("b", {{0, 11}, {1, 22}, {2, std::nextafter(33.0, 34.0)}});
  const std::string text = results_text(results, 110);
  EXPECT_EQ(text.find("e-"), std::string::npos) << text;
  EXPECT_NE(text.find("0.00  0.0 %   [0.00, 0.00]"), std::string::npos) << text;
}

TEST(Results, LongPoliciesGetShortNames) {
  Results results = two_policies();
  results.policies[1].policy = "b(" + std::string(80, 'x') + "=1)";
  const std::string text = results_text(results, 110);
  EXPECT_NE(text.find("b #2 is b(xxx"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  b #2 "), std::string::npos) << text;
}

TEST(Results, NothingFinished) {
  Results results = two_policies();
  results.policies.clear();
  results.interrupted = true;
  EXPECT_NE(results_text(results, 110), "");
  EXPECT_TRUE(nlohmann::json::parse(results_json(results))["results"].empty());
}

}  // namespace results_test
}  // namespace park::cli
