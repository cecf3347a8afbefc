// Classes of executors, and stages that fit only some of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace classes_test {

dag_scheduling::StageProfile sized(std::int32_t tasks, std::uint32_t ms, float memory,
                                   std::vector<std::uint16_t> parents = {}) {
  dag_scheduling::StageProfile s = constant_stage(tasks, ms, std::move(parents));
  s.memory = memory;
  return s;
}

const std::string kThree =
    "classes=[class(share=0.5,memory=0.25),class(share=0.3,memory=0.5),class(share=0.2,memory=1,"
    "cpus=4)]";

std::vector<int> offered(const Game& g, std::size_t stage) {
  std::vector<int> classes;
  for (std::size_t c = 0; c < g.cluster().classes(); ++c)
    if (g.flag("mask.class", stage * g.cluster().classes() + c))
      classes.push_back(static_cast<int>(c));
  return classes;
}

TEST(DagClasses, SharesAreRoundedByLargestRemainder) {
  const auto sizes = [](std::int32_t executors, std::vector<double> shares) {
    dag_scheduling::DagSchedulingConfig c;
    c.executors = executors;
    for (const double s : shares) c.classes.push_back({.share = s});
    return c.class_sizes();
  };
  using Sizes = std::vector<std::int32_t>;
  EXPECT_EQ(sizes(7, {}), Sizes{7});
  EXPECT_EQ(sizes(10, {0.5, 0.3, 0.2}), (Sizes{5, 3, 2}));
  EXPECT_EQ(sizes(10, {0.25, 0.25, 0.25, 0.25}), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(sizes(9, {0.333, 0.333, 0.333}), (Sizes{3, 3, 3}));
  EXPECT_EQ(sizes(5, {0.1, 0.9}), (Sizes{1, 4}));
}

TEST(DagClasses, OneClassHasAMaskOfWidthOne) {
  const WorkloadFile workload({{"a", {sized(1, 1000, 0.5F)}}});
  Game g("executors=2,jobs=1,workload=" + workload.path());
  g.reset();
  EXPECT_EQ(g.spec().observation.find("mask.class")->shape, std::vector<std::int64_t>{1});
  EXPECT_EQ(offered(g, 0), std::vector<int>{0});
  EXPECT_EQ(g.f32("class.cpus"), 1);
  EXPECT_EQ(g.f32("class.memory"), 1);
}

TEST(DagClasses, MasksFollowFitSourceAndChoice) {
  const WorkloadFile workload(
      {{"a", {sized(9, 1000, 0.2F), sized(9, 1000, 0.5F), sized(2, 1000, 0.9F)}}});
  Game g("executors=10,jobs=1,moving_delay_s=1,warmup_delay_s=0," + kThree +
         ",workload=" + workload.path());
  g.reset();
  EXPECT_EQ(g.f32("cluster.executors", 0), 5);
  EXPECT_EQ(g.f32("source.executors", 2), 2);
  EXPECT_EQ(g.f32("class.cpus", 2), 4);
  EXPECT_EQ(offered(g, 0), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(offered(g, 1), (std::vector<int>{1, 2}));
  EXPECT_EQ(offered(g, 2), std::vector<int>{2});
  EXPECT_THROW(g.choose(2, 1, 1), std::logic_error);
  g.choose(1, 2, 1);  // two of class 1 to stage 1
  EXPECT_EQ(offered(g, 1), std::vector<int>{2});
  EXPECT_EQ(g.f32("source.executors", 1), 1);
  g.choose(1, 10, 2);  // and both of class 2
  EXPECT_EQ(g.legal(), std::vector<int>{0});
  EXPECT_EQ(offered(g, 0), (std::vector<int>{0, 1}));
  g.choose(0, 10, 0);  // five of class 0
  EXPECT_EQ(offered(g, 0), std::vector<int>{1});
  g.choose(0, 10, 1);
  EXPECT_GT(g.now(), 1);
  EXPECT_EQ(g.f32("stage.moving", 0) + g.f32("stage.moving", 1), 0);
  while (!g.over()) g.choose_first();
  EXPECT_EQ(g.metric("jobs_done"), 1);
}

/// A stage that was chosen for one class and then filled by another takes no choice from the first.
TEST(DagClasses, FilledStageLeavesTheOtherOnes) {
  const WorkloadFile workload({{"a", {sized(3, 1000, 0), sized(9, 1000, 0)}}});
  Game g("executors=4,jobs=1,classes=[class(share=0.5),class(share=0.5)],workload=" +
         workload.path());
  g.reset();
  g.choose(0, 1, 0);
  g.choose(0, 3, 1);
  EXPECT_EQ(g.now(), 0);
  EXPECT_EQ(g.f32("source.executors", 0), 1);
  EXPECT_EQ(g.legal(), std::vector<int>{1});
  EXPECT_EQ(offered(g, 1), std::vector<int>{0});
}

TEST(DagClasses, TasksRunOnlyWhereTheyFit) {
  const WorkloadFile workload({{"a",
                                {sized(4, 500, 0.25F), sized(5, 800, 0.5F, {0}),
                                 sized(3, 300, 1.0F, {0}), sized(6, 700, 0.1F, {1, 2})}},
                               {"b", {sized(7, 400, 0.6F), sized(7, 400, 0, {0})}}});
  const std::vector<std::vector<float>> needs{{0.25F, 0.5F, 1.0F, 0.1F}, {0.6F, 0}};
  const std::vector<float> has{0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.5F, 0.5F, 0.5F, 1, 1};
  Game g("executors=10,jobs=30,moving_delay_s=1,arrival=poisson,interval_s=3," + kThree +
         ",workload=" + workload.path());
  for (std::uint64_t k = 0; k < 10; ++k) {
    EventLog log;
    g.env().events(&log);
    g.reset({.inputs = k, .dynamics = k});
    Rng rng(k);
    while (!g.over()) g.choose_random(rng);
    ASSERT_EQ(g.metric("jobs_done"), 30);
    std::vector<std::size_t> plan;
    for (const auto& p : log.points_called("arrival"))
      plan.push_back(static_cast<std::size_t>(p.arg("workload_job")));
    for (const auto& e : log.spans) {
      if (e.what == "moving") continue;
      const auto executor = static_cast<std::size_t>(std::stoi(e.lane.substr(9)));
      const auto job = plan[static_cast<std::size_t>(e.arg("job"))];
      ASSERT_LE(needs[job][static_cast<std::size_t>(e.arg("stage"))], has[executor]) << e.what;
    }
    g.env().events(nullptr);
  }
}

/// What one class leaves of a stage is offered to the other; the second stage has the large one
/// alone.
TEST(DagClasses, AStageIsOfferedToEachClassThatFits) {
  const WorkloadFile workload({{"a", {sized(3, 5000, 0.1F), sized(2, 1000, 1.0F, {0})}}});
  Game g(
      "executors=2,jobs=1,moving_delay_s=1,warmup_delay_s=0,classes=[class(share=0.5,memory=0.2)"
      ",class(share=0.5,memory=1)],workload=" +
      workload.path());
  g.reset();
  g.choose(0, 1, 0);  // the small one: 1 s to 16 s; stage 1 stays out of reach
  EXPECT_EQ(g.legal(), std::vector<int>{0});  // the large one could help
  EXPECT_EQ(offered(g, 0), std::vector<int>{1});
  g.choose(0, 2, 1);  // both work until 6 s, one until 11 s
  EXPECT_DOUBLE_EQ(g.now(), 6);
  EXPECT_EQ(g.legal(), std::vector<int>{1});
  while (!g.over()) g.choose_first();
  EXPECT_EQ(g.metric("jobs_done"), 1);
}

TEST(DagClasses, StarvedExecutorsWaitForAStageThatCanRun) {
  const WorkloadFile workload({{"a", {sized(3, 5000, 1.0F), sized(2, 1000, 0.1F, {0})}}});
  // The small class fits stage 1 only, which stays behind stage 0.
  Game g(
      "executors=2,jobs=1,moving_delay_s=1,warmup_delay_s=0,classes=[class(share=0.5,memory=0.2)"
      ",class(share=0.5,memory=1)],workload=" +
      workload.path());
  g.reset();
  EXPECT_EQ(offered(g, 0), std::vector<int>{1});
  g.choose(0, 1, 1);  // until 16 s; nothing for the small one
  EXPECT_DOUBLE_EQ(g.now(), 16);
  EXPECT_TRUE(g.flag("job.source"));  // first the large one that has just finished
  g.choose(1, 1, 1);
  EXPECT_DOUBLE_EQ(g.now(), 16);
  EXPECT_FALSE(g.flag("job.source"));  // then the starved one
  EXPECT_EQ(offered(g, 1), std::vector<int>{0});
  g.choose(1, 2, 0);
  EXPECT_TRUE(g.over());
  EXPECT_DOUBLE_EQ(g.now(), 18);
}

/// All executors idle, the only stage left fits one that the decisions withheld: it is offered.
TEST(DagClasses, NothingIsStuck) {
  for (const std::string semantics : {"correct", "compat"}) {
    const WorkloadFile workload({{"a", {sized(4, 1000, 0.1F), sized(1, 1000, 1.0F, {0})}}});
    Game g("executors=2,jobs=1,moving_delay_s=1,warmup_delay_s=0,semantics=" + semantics +
           ",classes=[class(share=0.5,memory=0.2),class(share=0.5,memory=1)],workload=" +
           workload.path());
    g.reset();
    g.choose(0, 1, 1);  // the large one
    g.choose(0, 2, 0);  // the small one
    while (!g.over() && g.now() < 3) g.choose_first();
    for (int n = 0; n < 50 && !g.over(); ++n) g.choose_first();
    EXPECT_TRUE(g.over()) << semantics;
    EXPECT_EQ(g.metric("jobs_done"), 1) << semantics;
  }
}

}  // namespace classes_test
}  // namespace park::test
