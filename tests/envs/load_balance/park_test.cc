// load_balance against results of Park's code on the same jobs.
// experiments/load_balance/compare_park_load_balance.py made them and says where the two differ;
// what is left here is rounding: Park's service times are cut to microseconds. In the sequence
// `exact` nothing is cut, so results must be equal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/pool.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/envs/load_balance/policies.h"
#include "tests/envs/load_balance/player.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace park_test {

using Json = nlohmann::json;

const Json& golden() {
  static const Json all =
      Json::parse(std::ifstream(PARK_SOURCE_DIR "/tests/envs/load_balance/load_balance_park.json"));
  return all;
}
const Json& sequences() { return golden().at("sequences"); }

/// Our environment on the recorded jobs, in seconds and work.
class RecordedJobs {
 public:
  explicit RecordedJobs(const Json& s) : file_(csv(s)) {
    text_ = s.at("env").get<std::string>();
    text_.pop_back();
    if (const auto at = text_.find(",sizes=uniform"); at != std::string::npos) text_.erase(at, 14);
    text_ += ",sizes=recorded,arrivals=recorded,recording_start=first,recording=\"" + file_.path() +
             "\")";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static std::string csv(const Json& s) {
    const double unit = s.at("units_per_s");
    std::string text = "gap_s,size\n";
    for (std::size_t k = 0; k < s.at("gaps").size(); ++k)
      text += number_text(s.at("gaps")[k].get<double>() / unit) + "," +
              number_text(s.at("sizes")[k].get<double>() / unit) + "\n";
    return text;
  }
  TemporaryFile file_;
  std::string text_;
};

/// What is compared of an episode.
struct Result {
  std::vector<double> reward_by_20;
  double reward = 0, end_s = 0;
  void add(std::size_t decision, const Outcome& o) {
    if (decision % 20 == 0) reward_by_20.push_back(0);
    reward_by_20.back() += o.reward;
    reward += o.reward;
    end_s += o.elapsed_s;
  }
};

void expect_same(const Result& ours, const Json& theirs, bool exact) {
  const auto near = [&](double a, double b) {
    if (exact)
      EXPECT_EQ(a, b);
    else
      EXPECT_NEAR(a, b, 1e-6 * std::abs(b));
  };
  near(ours.reward, theirs.at("reward"));
  near(ours.end_s, theirs.at("end_s"));
  ASSERT_EQ(ours.reward_by_20.size(), theirs.at("reward_by_20").size());
  for (std::size_t i = 0; i < ours.reward_by_20.size(); ++i)
    near(ours.reward_by_20[i], theirs.at("reward_by_20")[i]);
}

bool is_exact(const Json& sequence) { return sequence.at("units_per_s") == 1; }

TEST(LoadBalancePark, SequencesAreOurs) {
  for (const Json& s : sequences()) {
    if (s.at("inputs").is_null()) continue;
    const auto text = s.at("env").get<std::string>();
    load_balance::ArrivalProcess ours(
        parse_config<load_balance::LoadBalanceConfig>(parse_text(text)));
    ours.reset(s.at("inputs"));
    const double unit = s.at("units_per_s");
    for (std::size_t k = 0; k < s.at("gaps").size(); ++k) {
      const load_balance::Job job = ours.next();
      ASSERT_EQ(std::round(job.gap_s * unit), s.at("gaps")[k].get<double>()) << s.at("name");
      ASSERT_EQ(std::round(job.size * unit), s.at("sizes")[k].get<double>()) << s.at("name");
    }
  }
}

TEST(LoadBalancePark, SameRewardsForTheSameDecisions) {
  int compared = 0;
  for (const Json& s : sequences()) {
    const RecordedJobs jobs(s);
    for (const auto& [policy, theirs] : s.at("results").items()) {
      SCOPED_TRACE(s.at("name").get<std::string>() + " " + policy);
      const auto actions = theirs.at("actions").get<std::string>();
      LoadBalancePlayer p(jobs.text());
      const std::vector<Outcome> outcomes =
          p.play({}, [&](std::size_t k) { return actions[k] - '0'; });
      ASSERT_EQ(outcomes.size(), actions.size());
      Result ours;
      for (std::size_t k = 0; k < outcomes.size(); ++k) ours.add(k, outcomes[k]);
      expect_same(ours, theirs, is_exact(s));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 25);
}

TEST(LoadBalancePark, OurPoliciesDecideTheSame) {
  Registry registry;
  envs::register_all(registry);
  int compared = 0;
  for (const Json& s : sequences()) {
    const RecordedJobs jobs(s);
    for (const auto& [name, theirs] : s.at("results").items()) {
      if (name == "park_load") continue;  // its load is none that we show
      SCOPED_TRACE(s.at("name").get<std::string>() + " " + name);
      const FixedEpisodes one(std::vector<Episode>(1));
      const auto stream = registry.stream(jobs.text(), one);
      const auto policy = registry.policy(name, stream->spec());
      std::string actions;
      Result ours;
      play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch& chosen) {
        for (const Ended& e : d.ended) ours.add(e.decisions - 1, e.last);
        for (const Ask& a : d.asked)
          if (a.sequence > 0) ours.add(a.sequence - 1, a.since_last);
        if (!d.asked.empty())
          actions +=
              static_cast<char>('0' + chosen.row(0).scalar(chosen.field<std::int32_t>("server")));
      });
      EXPECT_EQ(actions, theirs.at("actions").get<std::string>());
      expect_same(ours, theirs, is_exact(s));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 20);
}

/// The largest distance between two empirical distributions.
double distance(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto below = [](const std::vector<double>& v, double x) {
    return static_cast<double>(std::ranges::upper_bound(v, x) - v.begin()) /
           static_cast<double>(v.size());
  };
  double worst = 0;
  for (const double x : a) worst = std::max(worst, std::abs(below(a, x) - below(b, x)));
  for (const double x : b) worst = std::max(worst, std::abs(below(a, x) - below(b, x)));
  return worst;
}

TEST(LoadBalancePark, ReturnsAreDistributedAlike) {
  // Each on jobs of its own. Park's gaps, sizes and service times are cut to whole numbers of about
  // 55, 300 and 500 on average, which is less than what the samples can tell.
  const auto theirs = golden().at("returns_on_its_own_jobs").get<std::vector<double>>();
  constexpr std::size_t kEpisodes = 1000;
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = kEpisodes});
  const auto stream = registry.stream("load_balance", source, {.slots = 8});
  const auto policy = registry.policy("shortest_expected_delay", stream->spec());
  std::vector<double> ours(kEpisodes);
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (const Ended& e : d.ended) ours[e.episode.id] += e.last.reward;
    for (const Ask& a : d.asked) ours[a.episode.id] += a.since_last.reward;
  });
  const auto n = static_cast<double>(theirs.size()), m = static_cast<double>(kEpisodes);
  EXPECT_LT(distance(theirs, ours), 1.95 * std::sqrt((n + m) / (n * m)));  // at 0.1 %
}

}  // namespace park_test
}  // namespace park::test
