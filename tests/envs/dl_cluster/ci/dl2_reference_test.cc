// The order and the ratios of policies on DL2's published speeds, where that file is.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/envs/dl_cluster/fixture.h"
#include "tests/kit/reference_data.h"

namespace park::test {
namespace dl2_reference_test {

constexpr std::uint64_t kEpisodes = 2;

class Dl2Reference : public ::testing::Test, protected ClusterPlayer {
 protected:
  void SetUp() override {
    const auto path = reference_data("dl2");
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs DL2's speeds in " << path;
    table_ = path.string();
  }
  [[nodiscard]] double slots(int nodes, const std::string& policy) {
    const std::string env = "dl_cluster(model=ps,semantics=compat,table=\"" + table_ +
                            "\",nodes=" + std::to_string(nodes) + ",jobs=60,max_epochs=30000)";
    return metric(env, policy, "avg_jct_slots", kEpisodes);
  }

  std::string table_;
};

/// Shorter jobs than those of the page, for the time that it takes. DL2 reports Optimus at 0.68 of DRF (1 - 0.441 over 1 - 0.175).
TEST_F(Dl2Reference, WithManyNodesOptimusBeatsDrf) {
  const double drf = slots(48, "drf");
  const double optimus = slots(48, "optimus") / drf;
  EXPECT_GT(optimus, 0.65);
  EXPECT_LT(optimus, 0.75);
  EXPECT_LE(slots(48, "hull_greedy") / drf, 0.56);
}

TEST_F(Dl2Reference, WithFewNodesOptimusIsWorseThanDrf) {
  const double drf = slots(12, "drf");
  EXPECT_GT(slots(12, "optimus") / drf, 1);
  // In the mean of many such episodes it is 0.68; single ones differ by several hundredths.
  EXPECT_LE(slots(12, "hull_greedy") / drf, 0.72);
}

}  // namespace dl2_reference_test
}  // namespace park::test
