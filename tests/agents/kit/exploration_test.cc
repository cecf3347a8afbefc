// Exploration of poor states: what the rules of a file keep is tried there, and nowhere else.
#include "agents/kit/exploration.h"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "agents/kit/network_policy.h"
#include "agents/net/networks.h"
#include "park/envs/envs.h"
#include "park/trees/tree_file.h"
#include "tests/kit/temporary_file.h"

namespace park::agents {
namespace exploration_test {

/// An admission to a queue with many free servers is poor; what mends it is to admit.
class Explored : public ::testing::Test {
 protected:
  static constexpr const char* kEnv = "simple_queue(servers=6,jobs=400,free_probability=0.2)";
  static constexpr double kFree = 3;

  Explored() {
    envs::register_all(registry_);
    spec_ = registry_.spec(kEnv);
    net_ = make_network("mlp", spec_, Role::policy, Rng(7));
  }

  [[nodiscard]] std::string trees(const std::string& rule) const {
    return "park-tree 1\nenv simple_queue layout " + park::trees::layout_text(spec_) +
           "\nhead admit\n" + rule + "  level values: 1\n";
  }
  static std::string mends() {
    return "  rule \"admit\": #value = 1 and server.free > " + std::to_string(kFree) + '\n';
  }

  /// Decisions where a choice was left, in poor states and elsewhere.
  struct Counts {
    double rows = 0, admitted = 0, expected = 0;
  };
  struct Played {
    Counts poor, other;
    std::vector<std::int32_t> actions;
  };
  Played play_with(Exploration* exploration) {
    Played all;
    const RandomEpisodes episodes(Rng(5), {.count = 4});
    const auto stream = registry_.stream(kEnv, episodes, {.slots = 4});
    NetworkPolicy policy(spec_, net_, true);
    policy.explore(exploration);
    const Heads heads(spec_);
    const auto free = Batch(spec_.observation).field<float>("server.free");
    play(*stream, policy, Rng(6), [&](const Decisions& d, const Batch& actions) {
      for (std::size_t r = 0; r < actions.rows(); ++r) {
        const std::int32_t admitted = heads.get(actions.row(r), 0);
        all.actions.push_back(admitted);
        const double p = std::exp(static_cast<double>(policy.log_probs()[r]));
        if (p > 1 - 1e-6) continue;
        Counts& of =
            static_cast<double>(d.observation.row(r).scalar(free)) > kFree ? all.poor : all.other;
        of.rows += 1;
        of.admitted += admitted;
        of.expected += admitted == 1 ? p : 1 - p;  // the network's probability to admit
      }
    });
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
  const test::TemporaryFile file(trees(mends()));
  Exploration always(file.path(), 1, spec_), half(file.path(), 0.5, spec_);
  const Played all = play_with(&always);
  EXPECT_EQ(all.poor.admitted, all.poor.rows);
  EXPECT_LT(all.poor.expected, 0.9 * all.poor.rows) << "by itself the network would not";
  expect_near(all.other.admitted, all.other.expected, all.other.rows);
  const Played some = play_with(&half);
  expect_near(some.poor.admitted, 0.5 * some.poor.rows + 0.5 * some.poor.expected, some.poor.rows);
  expect_near(some.other.admitted, some.other.expected, some.other.rows);
}

TEST_F(Explored, NeverTriedItChangesNothing) {
  const test::TemporaryFile file(trees(mends()));
  Exploration never(file.path(), 0, spec_);
  EXPECT_EQ(play_with(&never).actions, play_with(nullptr).actions);
}

TEST_F(Explored, AFileWithoutRulesIsRefused) {
  const auto complaint = [&](const std::string& text) -> std::string {
    const test::TemporaryFile file(text);
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
  EXPECT_EQ(complaint(trees(mends())), "");
  EXPECT_NE(complaint("park-tree 1\nenv simple_queue layout 0123456789abcdef\nhead admit\n"
                      "  rule \"r\": #value = 1\n  level values: 1\n")
                .find("is for the layout"),
            std::string::npos);
}

}  // namespace exploration_test
}  // namespace park::agents
