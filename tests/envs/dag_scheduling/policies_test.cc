// Scheduling policies on hand-made observations: the expected action follows from the definition in
// the header of each policy.
#include "park/envs/dag_scheduling/policies.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/dag_scheduling/cluster_view.h"
#include "park/envs/envs.h"
#include "tests/envs/dag_scheduling/fixture.h"
#include "tests/envs/dag_scheduling/toy_cluster.h"
#include "tests/kit/memory.h"

namespace park::dag_scheduling {

std::ostream& operator<<(std::ostream& out, const Assignment& a) {
  return out << "stage " << a.stage << ", limit " << a.limit << ", class " << a.executor_class;
}

namespace policies_test {

using test::ToyCluster;
using test::ToyJob;
using test::ToyStage;

constexpr const char* kHalfAndHalf =
    ",classes=[class(share=0.5,cpus=1,memory=0.5),class(share=0.5,cpus=1,memory=1)]";

/// Jobs of one to twelve stages, with durations that vary.
std::vector<dag_scheduling::JobProfile> random_jobs(int count) {
  Rng rng(7);
  std::vector<dag_scheduling::JobProfile> jobs;
  for (int j = 0; j < count; ++j) {
    dag_scheduling::JobProfile& job = jobs.emplace_back();
    job.name = "job" + std::to_string(j);
    for (std::uint16_t s = 0, n = static_cast<std::uint16_t>(1 + rng.below(12)); s < n; ++s) {
      const auto ms = static_cast<std::uint32_t>(100 + rng.below(3000));
      std::vector<std::uint16_t> parents;
      for (std::uint16_t p = 0; p < s; ++p)
        if (rng.below(4) == 0) parents.push_back(p);
      job.stages.push_back(test::stage(static_cast<std::int32_t>(1 + rng.below(30)), parents,
                                       {{dag_scheduling::Wave::first, 1, {ms, ms + 50, ms + 300}},
                                        {dag_scheduling::Wave::rest, 1, {ms / 2, ms / 2 + 10}}}));
      job.stages.back().memory = static_cast<float>(rng.uniform());
    }
  }
  return jobs;
}

class Policies : public ::testing::Test {
 protected:
  Policies() { envs::register_all(registry_); }
  static void SetUpTestSuite() {
    workload_ = std::make_unique<test::WorkloadFile>(random_jobs(15));
  }
  static void TearDownTestSuite() { workload_.reset(); }
  static std::string env(const std::string& fields) {
    return "dag_scheduling(workload=" + workload_->path() + ",executors=10" + fields + ")";
  }

  /// The answer of a fresh policy to one observation; it must be legal.
  Assignment answer(std::string_view policy, const ToyCluster& cluster) {
    const Spec spec = spec_of(cluster);
    const auto fresh = registry_.policy(policy, spec);
    fresh->start(0, Episode{}, Rng(1));
    return answer(*fresh, spec, cluster);
  }
  Assignment answer(Policy& policy, const Spec& spec, const ToyCluster& cluster) {
    Decisions d(spec);
    cluster.append_to(d.observation);
    d.asked.emplace_back();
    Batch actions(spec.action);
    actions.resize(1);
    policy.act(d, actions);
    EXPECT_TRUE(ActionSpace(spec).legal(d.observation.row(0), actions.row(0)));
    const auto value = [&](const char* head) {
      return actions.row(0).scalar(actions.field<std::int32_t>(head));
    };
    return {value("stage"), value("limit"), value("class")};
  }
  Spec spec_of(const ToyCluster& cluster) const {
    return registry_.spec(env(std::string(cluster.size.size() == 1 ? "" : kHalfAndHalf) +
                              (cluster.deadlines ? ",deadline_factor=2" : "")));
  }

  static inline std::unique_ptr<test::WorkloadFile> workload_;
  Registry registry_;
};

/// Three jobs of work 40, 8 and 20 and an idle cluster.
ToyCluster idle() {
  return {.jobs = {{.stages = {{.tasks = 20, .mean_s = 2}}},
                   {.stages = {{.tasks = 4, .mean_s = 1}, {.tasks = 2, .mean_s = 2}}},
                   {.stages = {{.tasks = 10, .mean_s = 2}}}},
          .source = {10}};
}

TEST_F(Policies, FifoGivesTheFirstJobWhatItDemands) {
  ToyCluster c = idle();
  EXPECT_EQ(answer("fifo", c), (Assignment{0, 10, 0}));
  c.jobs[0].stages[0].left = 7;
  EXPECT_EQ(answer("fifo", c), (Assignment{0, 7, 0}));
  c.jobs[0].stages[0].blocked = true;
  EXPECT_EQ(answer("fifo", c), (Assignment{1, 4, 0}));
}

TEST_F(Policies, FifoKeepsExecutorsInTheSourceJob) {
  ToyCluster c = idle();
  c.source = {3};
  c.jobs[2].executors = 5;
  c.jobs[2].source = true;
  EXPECT_EQ(answer("fifo", c), (Assignment{3, 5, 0}));  // 2 kept and all 3 of the source
  c.jobs[2].stages[0].committed = 10;
  EXPECT_EQ(answer("fifo", c), (Assignment{0, 3, 0}));
}

TEST_F(Policies, FifoPrefersTheStageThatWasReadyFirst) {
  ToyCluster c{.jobs = {{.stages = {{.tasks = 9, .ready_s = -1},
                                    {.tasks = 9, .ready_s = 5},
                                    {.tasks = 9, .ready_s = 4},
                                    {.tasks = 9, .ready_s = 4}}}}};
  EXPECT_EQ(answer("fifo", c).stage, 2);
  EXPECT_EQ(answer("fair", c).stage, 2);
  EXPECT_EQ(answer("weighted_fair", c).stage, 1);  // the first runnable one
}

TEST_F(Policies, FifoCapCountsWhatTheJobHolds) {
  ToyCluster c = idle();
  c.jobs[0].executors = 3;
  EXPECT_EQ(answer("fifo(cap=4)", c), (Assignment{0, 4, 0}));
  c.jobs[0].executors = 2;
  c.jobs[0].moving = 1;
  c.jobs[0].committed = 1;
  EXPECT_EQ(answer("fifo(cap=4)", c), (Assignment{1, 4, 0}));
}

TEST_F(Policies, FifoCompatCapCountsWhatWasEverPassed) {
  const ToyCluster c = idle();
  const Spec spec = spec_of(c);
  const auto fifo = registry_.policy("fifo(cap=12,compat=true)", spec);
  fifo->start(0, Episode{}, Rng(1));
  EXPECT_EQ(answer(*fifo, spec, c), (Assignment{0, 10, 0}));
  EXPECT_EQ(answer(*fifo, spec, c), (Assignment{0, 2, 0}));  // though it holds none
  EXPECT_EQ(answer(*fifo, spec, c), (Assignment{1, 4, 0}));
  fifo->start(0, Episode{}, Rng(1));
  EXPECT_EQ(answer(*fifo, spec, c), (Assignment{0, 10, 0}));
}

TEST_F(Policies, FairGivesTheFirstJobBelowItsShare) {
  ToyCluster c = idle();
  EXPECT_EQ(answer("fair", c), (Assignment{0, 4, 0}));  // ceil(10 / 3)
  c.jobs[0].committed = 4;
  c.source = {6};
  EXPECT_EQ(answer("fair", c), (Assignment{1, 4, 0}));
  c.jobs[1].executors = 2;
  c.jobs[1].moving = 1;
  EXPECT_EQ(answer("fair", c), (Assignment{1, 4, 0}));  // only one more
  c.jobs[1].stages[0].left = c.jobs[1].stages[1].left = 0;
  EXPECT_EQ(answer("fair", c), (Assignment{0, 5, 0}));  // two live jobs: ceil(10 / 2)
}

TEST_F(Policies, FairLeavesExecutorsWithTheSourceJobAboveItsShare) {
  ToyCluster c = idle();
  c.source = {2};
  c.jobs[2].executors = 8;
  c.jobs[2].source = true;
  EXPECT_EQ(answer("fair", c), (Assignment{3, 8, 0}));
}

TEST_F(Policies, SjfCpTakesTheSmallestJobAndItsCriticalPath) {
  ToyCluster c = idle();
  EXPECT_EQ(answer("sjf_cp", c), (Assignment{1, 4, 0}));  // both 4 s: the first one
  c.jobs[1].stages[1].mean_s = 3;
  EXPECT_EQ(answer("sjf_cp", c), (Assignment{2, 2, 0}));
  c.jobs[1].stages[1].ready_s = -1;
  EXPECT_EQ(answer("sjf_cp", c), (Assignment{1, 4, 0}));  // runnable ones first
  c.jobs[1].stages[0].left = c.jobs[1].stages[1].left = 0;
  EXPECT_EQ(answer("sjf_cp", c), (Assignment{3, 10, 0}));  // 20 s before 40 s
}

TEST_F(Policies, SjfCpTakesExecutorsFromOtherJobs) {
  ToyCluster c = idle();
  c.source = {3};
  c.jobs[0].executors = 10;
  c.jobs[0].source = true;
  EXPECT_EQ(answer("sjf_cp", c), (Assignment{1, 3, 0}));
}

TEST_F(Policies, CriticalPathCountsTheChildren) {
  ToyCluster c = idle();
  EXPECT_EQ(answer("critical_path", c), (Assignment{0, 10, 0}));
  c.jobs[1].stages[1] = {.tasks = 1, .mean_s = 60, .ready_s = -1, .blocked = true};
  c.jobs[1].edges = {{0, 1}};
  EXPECT_EQ(answer("critical_path", c), (Assignment{1, 4, 0}));  // 4 s + 60 s
}

TEST_F(Policies, WeightedFairSharesByPowersOfWork) {
  const ToyCluster c = idle();
  // alpha = -1: weights 1/40, 1/8, 1/20, so 1.25, 6.25, 2.5 executors; nothing is held: arrival.
  EXPECT_EQ(answer("weighted_fair", c), (Assignment{0, 2, 0}));
  // alpha = 1: 5.9, 1.2, 2.9
  EXPECT_EQ(answer("weighted_fair(alpha=1)", c), (Assignment{0, 6, 0}));
  EXPECT_EQ(answer("naive_weighted_fair", c), (Assignment{0, 6, 0}));
  EXPECT_EQ(answer("weighted_fair(alpha=0)", c), (Assignment{0, 4, 0}));
}

TEST_F(Policies, WeightedFairGivesTheEmptiestJob) {
  ToyCluster c = idle();
  c.source = {4};
  c.jobs[0].executors = 1;  // 1 of 2
  c.jobs[1].executors = 4;  // 4 of 7
  c.jobs[2].executors = 1;  // 1 of 3
  EXPECT_EQ(answer("weighted_fair", c), (Assignment{3, 3, 0}));
}

TEST_F(Policies, WeightedFairStaysInTheSourceJobUpToItsShare) {
  ToyCluster c = idle();
  c.source = {2};
  c.jobs[2].executors = 3;
  c.jobs[2].source = true;
  EXPECT_EQ(answer("weighted_fair", c), (Assignment{3, 3, 0}));  // holds 3 of 3
  c.jobs[2].executors = 4;
  c.jobs[0].executors = c.jobs[1].executors = 1;
  EXPECT_EQ(answer("weighted_fair", c), (Assignment{1, 3, 0}));  // 1 of 7 is less than 1 of 2
}

TEST_F(Policies, WeightedFairWastesNothing) {
  ToyCluster c = idle();
  c.source = {3};
  c.jobs[0].executors = 2;
  c.jobs[1].stages[0].blocked = c.jobs[1].stages[1].blocked = true;
  c.jobs[2].executors = 3;
  EXPECT_EQ(answer("weighted_fair", c), (Assignment{3, 6, 0}));  // both full: the smaller one
}

TEST_F(Policies, WeightedFairKeepsWholeSharesWhole) {
  ToyCluster c;
  c.source = {10};
  for (int j = 0; j < 5; ++j) c.jobs.push_back({.stages = {{.tasks = 9, .mean_s = 0.7F}}});
  for (const char* alpha : {"-2", "-1.3", "-1", "0.1", "2"})
    EXPECT_EQ(answer("weighted_fair(alpha=" + std::string(alpha) + ")", c), (Assignment{0, 2, 0}));
}

TEST_F(Policies, SrptCappedFillsTheSmallestRemainingJobUpToItsCap) {
  ToyCluster c = idle();
  // c (W / scale)^s with W = 40, 8, 20: caps 4, 1, 2
  const std::string policy = "srpt_capped(c=4,s=1,scale_s=40)";
  EXPECT_EQ(answer(policy, c), (Assignment{1, 1, 0}));
  c.jobs[0].stages[0].left = 3;  // 6 s of work left
  EXPECT_EQ(answer(policy, c), (Assignment{0, 3, 0}));
  c.jobs[0].executors = 4;
  c.jobs[1].moving = 1;
  EXPECT_EQ(answer(policy, c), (Assignment{3, 2, 0}));
}

TEST_F(Policies, SrptCappedKeepsTheSourceJobUpToItsCapAndWastesNothing) {
  ToyCluster c = idle();
  const std::string policy = "srpt_capped(c=4,s=1,scale_s=40)";
  c.source = {2};
  c.jobs[0].executors = 4;
  c.jobs[0].source = true;
  EXPECT_EQ(answer(policy, c), (Assignment{0, 4, 0}));
  c.jobs[0].executors = 5;
  EXPECT_EQ(answer(policy, c), (Assignment{1, 1, 0}));
  c.jobs[0].executors = 6;
  c.jobs[1].executors = 1;
  c.jobs[2].executors = 2;
  EXPECT_EQ(answer(policy, c), (Assignment{0, 6, 0}));  // all at their caps: the source job
  c.jobs[0].stages[0].blocked = true;
  EXPECT_EQ(answer(policy, c), (Assignment{1, 3, 0}));  // then the smallest remaining work
}

TEST_F(Policies, EdfCappedServesTheEarliestDeadlineUpToItsCap) {
  ToyCluster c = idle();
  const std::string policy = "edf_capped(c=4,s=1,scale_s=40,haste=0)";  // caps 4, 1, 2
  EXPECT_EQ(answer(policy, c), (Assignment{0, 4, 0}));                  // no deadlines: by arrival
  c.deadlines = true;
  c.jobs[0].deadline_s = 30;
  c.jobs[1].deadline_s = 50;
  c.jobs[2].deadline_s = 20;
  EXPECT_EQ(answer(policy, c), (Assignment{3, 2, 0}));
  c.jobs[2].moving = 2;
  EXPECT_EQ(answer(policy, c), (Assignment{0, 4, 0}));
  c.jobs[2].moving = 0;
  c.time_s = 20;
  EXPECT_EQ(answer(policy, c), (Assignment{3, 2, 0}));  // in time for once
  c.time_s = 21;
  EXPECT_EQ(answer(policy, c), (Assignment{0, 4, 0}));
  c.time_s = 100;
  EXPECT_EQ(answer(policy, c), (Assignment{1, 1, 0}));  // all are late: by remaining work
}

TEST_F(Policies, EdfCappedGivesUpWhatCannotBeInTime) {
  ToyCluster c = idle();
  c.deadlines = true;
  c.jobs[0].deadline_s = 30;
  c.jobs[1].deadline_s = 50;
  c.jobs[2].deadline_s = 9;  // 20 s of work with at most two executors
  const auto with = [&](const std::string& haste) {
    return answer("edf_capped(c=4,s=1,scale_s=40,haste=" + haste + ")", c).stage;
  };
  EXPECT_EQ(with("0.5"), 3);
  EXPECT_EQ(with("1"), 0);
  c.jobs[2].stages[0].left = 9;
  EXPECT_EQ(with("1"), 3);
}

TEST_F(Policies, GrapheneStarStartsWithTroublesomeStages) {
  // 0 -> 1 -> 2, and 3 alone: stage 2 is long, 0 and 1 unlock it.
  ToyCluster c{.jobs = {{.stages = {{.tasks = 2, .mean_s = 1},
                                    {.tasks = 2, .mean_s = 1, .ready_s = -1},
                                    {.tasks = 2, .mean_s = 8, .ready_s = -1, .blocked = true},
                                    {.tasks = 90, .mean_s = 2}},
                         .edges = {{0, 1}, {1, 2}}}}};
  EXPECT_EQ(answer("graphene_star", c).stage, 0);
  EXPECT_EQ(answer("graphene_star(long_part=2)", c).stage, 3);  // none: the critical path
  c.jobs[0].stages[3].mean_s = 4;                               // half of the longest
  EXPECT_EQ(answer("graphene_star", c).stage, 3);
  EXPECT_EQ(answer("graphene_star(long_part=0.6)", c).stage, 0);
}

TEST_F(Policies, GrapheneStarCountsStagesBetweenTroublesomeOnes) {
  // 0 (long) -> 1 -> 2 (long), and 3 -> 2: 1 is on a path between long ones, 3 is not.
  ToyCluster c{.jobs = {{.stages = {{.tasks = 2, .mean_s = 8, .left = 0},
                                    {.tasks = 2, .mean_s = 1},
                                    {.tasks = 2, .mean_s = 8, .ready_s = -1, .blocked = true},
                                    {.tasks = 90, .mean_s = 1}},
                         .edges = {{0, 1}, {1, 2}, {3, 2}}}}};
  EXPECT_EQ(answer("graphene_star", c).stage, 1);
  c.jobs[0].edges = {{1, 2}, {3, 2}};
  EXPECT_EQ(answer("graphene_star", c).stage, 3);  // both only unlock it: the critical path
}

/// Executors of 0.5 and of 1 memory, five of each.
ToyCluster mixed(float first_memory, float second_memory) {
  return {.jobs = {{.stages = {{.tasks = 20, .memory = first_memory}}},
                   {.stages = {{.tasks = 20, .memory = second_memory}}}},
          .source = {3, 5},
          .size = {5, 5},
          .cpus = {1, 1},
          .memory = {0.5, 1}};
}

TEST_F(Policies, ExecutorsThatFitBestAreTaken) {
  for (const char* policy : {"fifo", "sjf_cp", "critical_path"}) {
    EXPECT_EQ(answer(policy, mixed(0.2F, 0.2F)), (Assignment{0, 3, 0})) << policy;
    EXPECT_EQ(answer(policy, mixed(0.7F, 0.7F)), (Assignment{0, 5, 1})) << policy;
  }
  ToyCluster c = mixed(0.2F, 0.2F);
  c.source = {0, 2};
  EXPECT_EQ(answer("fifo", c), (Assignment{0, 2, 1}));
}

TEST_F(Policies, FairWastesNothingWhereOnlyFullJobsFit) {
  ToyCluster c = mixed(0.2F, 0.7F);
  c.source = {2, 0};
  c.jobs[0].executors = 6;
  EXPECT_EQ(answer("fair", c), (Assignment{0, 8, 0}));
}

TEST_F(Policies, TetrisAlignsRequestsAndExecutors) {
  EXPECT_EQ(answer("tetris", mixed(0.3F, 0.4F)), (Assignment{1, 5, 1}));  // 1 + 0.4 is the largest
  ToyCluster c = mixed(0.3F, 0.4F);
  c.source = {3, 0};
  EXPECT_EQ(answer("tetris", c), (Assignment{1, 3, 0}));
  c.jobs[1].stages[0].ready_s = -1;
  EXPECT_EQ(answer("tetris", c), (Assignment{0, 3, 0}));  // runnable ones first
}

/// Alignments are 1.3 and 1.4 (class 1), remaining works 20 * 1.3 and 20 * 4 * 1.4; the means are
/// 1.35 and 69, so that one unit of work costs m / 51.1.
TEST_F(Policies, TetrisWeighsRemainingWorkAgainstAlignment) {
  ToyCluster c = mixed(0.3F, 0.4F);
  c.jobs[1].stages[0].mean_s = 4;
  EXPECT_EQ(answer("tetris", c), (Assignment{1, 5, 1}));
  EXPECT_EQ(answer("tetris(srpt=0.05)", c), (Assignment{1, 5, 1}));  // 0.1 > 0.05 * 86 / 51.1
  EXPECT_EQ(answer("tetris(srpt=0.07)", c), (Assignment{0, 5, 1}));
  EXPECT_EQ(answer("tetris(srpt=1)", c), (Assignment{0, 5, 1}));
  c.jobs[0].stages[0].ready_s = -1;
  EXPECT_EQ(answer("tetris(srpt=1)", c), (Assignment{1, 5, 1}));  // runnable ones first
}

TEST_F(Policies, GrapheneStarCountsStagesThatFewExecutorsFit) {
  ToyCluster c{
      .jobs = {{.stages = {{.tasks = 20, .mean_s = 3}, {.tasks = 2, .mean_s = 1, .memory = 0.7F}}}},
      .source = {5, 5},
      .size = {5, 5},
      .cpus = {1, 1},
      .memory = {0.5, 1}};
  EXPECT_EQ(answer("graphene_star(long_part=2)", c), (Assignment{1, 2, 1}));
  EXPECT_EQ(answer("graphene_star(long_part=2,scarce_part=0.4)", c), (Assignment{0, 5, 0}));
}

// ---------------------------------------------------------------- whole episodes

constexpr const char* kAll[] = {"fifo",
                                "fifo(cap=3,compat=true)",
                                "fair",
                                "sjf_cp",
                                "critical_path",
                                "tetris",
                                "tetris(srpt=1)",
                                "weighted_fair",
                                "weighted_fair(alpha=2)",
                                "naive_weighted_fair",
                                "graphene_star",
                                "srpt_capped",
                                "edf_capped"};
constexpr const char* kSettings[] = {",jobs=15", ",jobs=15,semantics=compat",
                                     ",jobs=25,arrival=poisson,interval_s=8",
                                     ",jobs=15,deadline_factor=3"};

/// Counts what the policy inside allocates.
class Counting final : public Policy {
 public:
  explicit Counting(Policy& inside) : inside_(&inside) {}
  void start(std::uint32_t slot, const Episode& e, Rng rng) override {
    inside_->start(slot, e, rng);
  }
  void act(const Decisions& d, Batch& actions) override {
    const test::AllocationCount allocations;
    inside_->act(d, actions);
    if (counting) count += allocations.count();
  }
  bool counting = false;
  std::size_t count = 0;

 private:
  Policy* inside_;
};

class Episodes : public Policies,
                 public ::testing::WithParamInterface<std::tuple<const char*, const char*, bool>> {
};

/// The stream refuses an illegal action. Of a list that is played twice, the second time allocates
/// nothing.
TEST_P(Episodes, EveryAnswerIsLegalAndAllJobsEnd) {
  const auto& [policy, given, mixed] = GetParam();
  const std::string setting = given;
  std::vector<Episode> list;
  for (std::uint64_t k = 0; k < 10; ++k) list.push_back({.inputs = k % 5, .dynamics = k % 5});
  const FixedEpisodes episodes(list);
  const auto stream = registry_.stream(env(setting + (mixed ? kHalfAndHalf : "")), episodes);
  const auto player = registry_.policy(policy, stream->spec());
  Counting counting(*player);
  std::size_t ended = 0, decisions = 0;
  const std::size_t done = stream->spec().metric("jobs_done");
  play(*stream, counting, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      EXPECT_EQ(d.ended[i].last.end, End::terminated);
      EXPECT_EQ(d.metrics_of(i)[done], setting.starts_with(",jobs=25") ? 25 : 15);
      ++ended;
    }
    decisions += d.asked.size();
    counting.counting = ended >= 5;
  });
  EXPECT_EQ(ended, 10u);
  EXPECT_GT(decisions, 500u);
  EXPECT_EQ(counting.count, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Episodes,
                         ::testing::Combine(::testing::ValuesIn(kAll),
                                            ::testing::ValuesIn(kSettings), ::testing::Bool()));

TEST_F(Policies, TellWhatTheyAre) {
  const Spec spec = registry_.spec(env(""));
  const std::vector<std::string> names = registry_.policies_for(spec);
  EXPECT_EQ(names, (std::vector<std::string>{"critical_path", "edf_capped", "fair", "fifo",
                                             "graphene_star", "naive_weighted_fair", "random",
                                             "sjf_cp", "srpt_capped", "tetris", "weighted_fair"}));
  for (const std::string& name : names) {
    EXPECT_FALSE(registry_.policy_info(name).summary.empty());
    EXPECT_FALSE(registry_.policy_info(name).reference.empty());
    EXPECT_EQ(registry_.canonical_policy(name), name);
  }
  EXPECT_EQ(registry_.canonical_policy("weighted_fair(alpha=-1)"), "weighted_fair");
  EXPECT_EQ(registry_.canonical_policy("srpt_capped(c=8,s=0.9,scale_s=500)"), "srpt_capped");
  EXPECT_THROW((void)registry_.policy("fair(cap=1)", spec), Error);
  EXPECT_THROW((void)registry_.policy("srpt_capped(c=0)", spec), Error);
  EXPECT_THROW((void)registry_.policy("fair", registry_.spec("load_balance")), Error);
}

}  // namespace policies_test
}  // namespace park::dag_scheduling
