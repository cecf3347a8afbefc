// Hand-made features of a cluster.
#include "agents/net/cluster/dag_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park::agents {
namespace dag_features_test {

using Features = std::array<float, DagFeatures::kStage + DagFeatures::kEach>;

/// Features of the only stage without parents at the start of a job.
Features of_root(const std::vector<dag_scheduling::StageProfile>& stages, std::size_t root) {
  const park::test::WorkloadFile workload({{"job", stages}});
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes episodes(Rng(1), {.count = 1});
  const auto stream = registry.stream(
      "dag_scheduling(executors=4,jobs=1,workload=" + workload.path() + ")", episodes, {});
  DagFeatures features(stream->spec());
  features.read(stream->recv({}).observation);
  Features all{};
  features.stage(0, features.place(0, static_cast<std::int32_t>(root)), all.data());
  features.job(0, 0, all.data() + DagFeatures::kStage);
  return all;
}

/// a -> b -> c -> d and a -> d, with the stages numbered in every way.
TEST(DagFeatures, DoNotDependOnHowStagesAreNumbered) {
  const std::array<std::uint32_t, 4> ms = {1000, 3000, 2000, 4000};
  const auto numbered = [&](const std::array<std::uint16_t, 4>& at) {
    std::vector<dag_scheduling::StageProfile> stages(4);
    const auto put = [&](std::size_t s, std::vector<std::uint16_t> parents) {
      for (std::uint16_t& p : parents) p = at[p];
      stages[at[s]] = park::test::constant_stage(static_cast<std::int32_t>(s) + 2, ms[s], parents);
    };
    put(0, {}), put(1, {0}), put(2, {1}), put(3, {0, 2});
    return of_root(stages, at[0]);
  };
  const Features expected = numbered({0, 1, 2, 3});
  constexpr std::size_t kDepth = 13;  // of the features of the stage
  EXPECT_FLOAT_EQ(expected[kDepth], 3.0f / 8);
  std::array<std::uint16_t, 4> order = {0, 1, 2, 3};
  while (std::next_permutation(order.begin(), order.end()))
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_FLOAT_EQ(numbered(order)[i], expected[i])
          << "feature " << i << " with a at " << order[0] << ", b " << order[1] << ", c "
          << order[2];
}

TEST(DagFeatures, RefuseEdgesThatGoRoundInACircle) {
  const park::test::WorkloadFile workload(
      {{"job", {park::test::constant_stage(2, 1000), park::test::constant_stage(2, 1000, {0})}}});
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes episodes(Rng(1), {.count = 1});
  const auto stream = registry.stream(
      "dag_scheduling(executors=4,jobs=1,workload=" + workload.path() + ")", episodes, {});
  Batch rows(stream->spec().observation);
  rows.append(stream->recv({}).observation, 0);
  rows.row(0)[rows.field<std::int32_t>("edge.parent")][0] = 1;
  DagFeatures features(stream->spec());
  EXPECT_THROW(features.read(rows), Error);
}

}  // namespace dag_features_test
}  // namespace park::agents
