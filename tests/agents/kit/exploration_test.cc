// Exploration of poor states: what the rules of a file keep is tried there, and nowhere else.
#include "agents/kit/exploration.h"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/kit/network_policy.h"
#include "agents/net/networks.h"
#include "park/envs/envs.h"
#include "park/trees/tree_file.h"
#include "tests/kit/temporary_file.h"

namespace park::agents {
namespace exploration_test {

/// A state is poor where some servers are idle and others are not; an idle one mends it.
class Explored : public ::testing::Test {
 protected:
  static constexpr const char* kEnv = "load_balance(servers=3,rates=[2,3,4],jobs=400)";

  Explored() {
    envs::register_all(registry_);
    spec_ = registry_.spec(kEnv);
    net_ = make_network("mlp", spec_, Role::policy, Rng(7));
  }

  [[nodiscard]] std::string trees(const std::string& rule) const {
    return "park-tree 1\nenv load_balance layout " + park::layout_text(spec_) + "\nhead server\n" +
           rule + "  level values: 1\n";
  }
  static std::string idle_first() { return "  rule \"idle\": server.jobs < 0.5\n"; }

  /// How often servers of a kind were taken: idle ones in poor states, the first one elsewhere.
  struct Counts {
    double rows = 0, taken = 0, expected = 0;  // expected by the network's probabilities
  };
  struct Played {
    Counts poor, other;
    std::vector<std::int32_t> actions;
  };

  void count(const Decisions& d, const Batch& actions, NetworkPolicy& policy, Played& all) const {
    const auto jobs = Batch(spec_.observation).field<float>("server.jobs");
    const Heads heads(spec_);
    Candidates c;
    std::vector<float> scores;
    if (d.asked.empty() || !policy.scores(d.observation, 0, actions, c, scores)) return;
    for (std::size_t r = 0; r < actions.rows(); ++r) {
      const std::span<const float> of_row = d.observation.row(r)[jobs];
      const auto idle = std::ranges::count(of_row, 0.0f);
      const bool poor = idle > 0 && idle < std::ssize(of_row);
      const auto counts = [&](std::size_t server) {
        return poor ? of_row[server] == 0 : server == 0;
      };
      double sum = 0, sum_taken = 0;
      for (std::size_t s = 0; s < of_row.size(); ++s) {
        const double weight = std::exp(static_cast<double>(scores[r * of_row.size() + s]));
        sum += weight;
        if (counts(s)) sum_taken += weight;
      }
      const std::int32_t server = heads.get(actions.row(r), 0);
      all.actions.push_back(server);
      Counts& of = poor ? all.poor : all.other;
      of.rows += 1;
      of.expected += sum_taken / sum;
      if (counts(static_cast<std::size_t>(server))) of.taken += 1;
      const double p = std::exp(static_cast<double>(
                           scores[r * of_row.size() + static_cast<std::size_t>(server)])) /
                       sum;
      EXPECT_NEAR(policy.log_probs()[r], std::log(p), 1e-4) << "the network's, whoever chose";
    }
  }

  Played play_with(Exploration* exploration) {
    Played all;
    const RandomEpisodes episodes(Rng(5), {.count = 4});
    const auto stream = registry_.stream(kEnv, episodes, {.slots = 4});
    NetworkPolicy policy(spec_, net_, true);
    policy.explore(exploration);
    play(*stream, policy, Rng(6),
         [&](const Decisions& d, const Batch& actions) { count(d, actions, policy, all); });
    EXPECT_GT(all.poor.rows, 100);
    EXPECT_GT(all.other.rows, 100);
    return all;
  }

  Registry registry_;
  Spec spec_;
  std::shared_ptr<Network> net_;
};

/// Within five standard deviations of a sum of draws.
void expect_near(double found, double expected, double rows) {
  EXPECT_NEAR(found, expected, 2.5 * std::sqrt(rows) + 1);
}

TEST_F(Explored, TriesWhatTheRulesKeepInPoorStatesAlone) {
  const park::test::TemporaryFile file(trees(idle_first()));
  Exploration always(file.path(), 1, spec_), half(file.path(), 0.5, spec_);
  const Played all = play_with(&always);
  EXPECT_EQ(all.poor.taken, all.poor.rows);
  EXPECT_LT(all.poor.expected, 0.9 * all.poor.rows) << "by itself the network would not";
  expect_near(all.other.taken, all.other.expected, all.other.rows);
  const Played some = play_with(&half);
  expect_near(some.poor.taken, 0.5 * some.poor.rows + 0.5 * some.poor.expected, some.poor.rows);
  expect_near(some.other.taken, some.other.expected, some.other.rows);
}

TEST_F(Explored, NeverTriedItChangesNothing) {
  const park::test::TemporaryFile file(trees(idle_first()));
  Exploration never(file.path(), 0, spec_);
  EXPECT_EQ(play_with(&never).actions, play_with(nullptr).actions);
}

TEST_F(Explored, AFileWithoutRulesIsRefused) {
  const auto complaint = [&](const std::string& text) -> std::string {
    const park::test::TemporaryFile file(text);
    try {
      const Exploration exploration(file.path(), 1, spec_);
      return "";
    } catch (const Error& e) {
      const std::string line = e.what();
      EXPECT_TRUE(line.starts_with(file.path())) << line;
      return line.substr(file.path().size());
    }
  };
  EXPECT_EQ(complaint(trees("")), ": has no rule of a head that compares its values");
  EXPECT_EQ(complaint(trees(idle_first())), "");
  EXPECT_NE(complaint("park-tree 1\nenv load_balance layout 0123456789abcdef\nhead server\n"
                      "  rule \"r\": server.jobs < 0.5\n  level values: 1\n")
                .find("is for the layout"),
            std::string::npos);
}

}  // namespace exploration_test
}  // namespace park::agents
