// Every algorithm that learns from rollouts, with every baseline on every environment: contracts replay
// inputs, so all go.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/baseline/baselines.h"
#include "park/core/text.h"
#include "park/envs/envs.h"
#include "tests/kit/small_envs.h"

namespace park::agents {
namespace environments_test {

class Everything : public ::testing::TestWithParam<std::string> {
 protected:
  Everything() { envs::register_all(registry_); }
  Registry registry_;
};

TEST_P(Everything, Trains) {
  for (const runs::PartInfo& algorithm : algorithms().infos()) {
    if (std::ranges::find(algorithm.fields, "rollouts", &FieldInfo::name) == algorithm.fields.end())
      continue;
    for (const runs::PartInfo& baseline : baselines().infos()) {
      SCOPED_TRACE(algorithm.name + " with " + baseline.name);
      const auto training = make_algorithm(
          registry_,
          {.env = GetParam(),
           .algorithm = algorithm.name + "(sequences=2,rollouts=2,slots=4,minibatch=64)",
           .baseline = baseline.name},
          5);
      for (std::int64_t i = 0; i < 2; ++i) {
        const runs::IterationReport report = training->iterate(i, 0.5 * static_cast<double>(i));
        EXPECT_TRUE(std::isfinite(report.gradient_norm));
        EXPECT_GT(report.gradient_norm, 0);
        EXPECT_GT(report.advantage_sd, 0);
        EXPECT_GT(report.decisions, 10u);
      }
    }
  }
}

/// Whatever is legal can be imitated: one that draws says everything, a heuristic what it means.
TEST_P(Everything, Imitates) {
  const std::vector<std::string> heuristics = test::policies_that_play(registry_, GetParam());
  for (const std::string& teacher : {std::string("random"), heuristics.front()}) {
    SCOPED_TRACE(teacher);
    const auto training =
        make_algorithm(registry_,
                       {.env = GetParam(),
                        .algorithm = "a2c(sequences=2,rollouts=2,slots=4,minibatch=64)",
                        .guidance = {.imitate = teacher, .imitate_iterations = 2, .replay = 0.5}},
                       5);
    for (std::int64_t i = 0; i < 3; ++i) {
      const runs::IterationReport report = training->iterate(i, 0.1 * static_cast<double>(i));
      EXPECT_EQ(report.imitating, i < 2);
      EXPECT_TRUE(std::isfinite(report.imitation_loss));
      EXPECT_GT(report.gradient_norm, 0);
      EXPECT_GT(report.decisions, 10u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Environments, Everything, ::testing::ValuesIn(test::small_envs()),
                         [](const auto& i) { return parse_named(i.param).text; });

}  // namespace environments_test
}  // namespace park::agents
