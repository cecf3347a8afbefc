// Small scenarios whose every event was worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace rules_test {

using dag_scheduling::Wave;

/// Two stages in a row: three tasks, then one. Measured at 1 and 2 executors; fresh tasks were not.
dag_scheduling::JobProfile chain() {
  return {"chain",
          {stage(3, {},
                 {{Wave::first, 1, {1000}},
                  {Wave::first, 2, {1200}},
                  {Wave::rest, 1, {500}},
                  {Wave::rest, 2, {600}}}),
           stage(1, {0}, {{Wave::first, 1, {700}}, {Wave::first, 2, {800}}})}};
}
dag_scheduling::JobProfile single(const std::string& name, std::int32_t tasks, std::uint32_t ms) {
  return {name, {constant_stage(tasks, ms)}};
}

std::string fields(const WorkloadFile& workload, const TemporaryFile& arrivals,
                   const std::string& more) {
  return "workload=" + workload.path() + ",arrival=file,arrivals=" + arrivals.path() + "," + more;
}

/// 0 s: both executors move to stage 0. 2 s: the first starts alone (first at 1: 1 s, warm-up 1 s),
/// the second as one of two (1.2 + 1 s). 4 s: the first takes the third task (rest at 2: 0.6 s).
/// 4.2 s: the second finds no task: decision. 4.6 s: stage 0 is done: decision. Stage 1 runs.
class ChainTest : public ::testing::Test {
 protected:
  Game game(const std::string& semantics) const {
    return Game(fields(workload_, arrivals_,
                       "executors=2,moving_delay_s=2,warmup_delay_s=1,semantics=" + semantics));
  }

  const WorkloadFile workload_{{chain(), single("single", 1, 3000)}};
  const TemporaryFile arrivals_{"time_s,job\n0,chain\n10,single\n"};
};

TEST_F(ChainTest, FirstDecision) {
  Game g = game("correct");
  g.reset();
  EXPECT_EQ(g.now(), 0);
  EXPECT_EQ(g.count("stages"), 2u);
  EXPECT_EQ(g.count("jobs"), 1u);
  EXPECT_EQ(g.legal(), std::vector<int>{0});
  EXPECT_EQ(g.f32("source.executors"), 2);
  EXPECT_EQ(g.f32("cluster.free"), 2);
  EXPECT_EQ(g.i32("limit.min"), 1);
  EXPECT_EQ(g.i32("limit.max"), 2);
  EXPECT_FALSE(g.flag("job.source"));
  EXPECT_TRUE(g.flag("stage.runnable", 0));
  EXPECT_FALSE(g.flag("stage.runnable", 1));
  EXPECT_EQ(g.f64("stage.ready_s", 0), 0);
  EXPECT_EQ(g.f64("stage.ready_s", 1), -1);
  EXPECT_FLOAT_EQ(g.f32("stage.mean_duration_s", 0), 0.825F);
  EXPECT_FLOAT_EQ(g.f32("stage.critical_path_s", 0), 3 * 0.825F + 0.75F);
  EXPECT_FLOAT_EQ(g.f32("job.work_s"), 3 * 0.825F + 0.75F);
  EXPECT_EQ(g.f32("job.demand"), 4);
}

TEST_F(ChainTest, DrainedStageAsksWhileItsLastTaskRuns) {
  Game g = game("correct");
  g.reset();
  g.choose(0, 2);
  EXPECT_DOUBLE_EQ(g.now(), 4.2);
  EXPECT_DOUBLE_EQ(g.last().elapsed_s, 4.2);
  EXPECT_DOUBLE_EQ(g.last().reward, -4.2);
  EXPECT_TRUE(g.flag("job.source"));
  EXPECT_EQ(g.f32("source.executors"), 2);  // one of them still runs
  EXPECT_EQ(g.f32("cluster.free"), 1);
  EXPECT_EQ(g.f32("stage.tasks_running", 0), 1);
  EXPECT_FLOAT_EQ(g.f32("stage.last_duration_s", 0), 2.2F);
  EXPECT_EQ(g.legal(), std::vector<int>{1});  // its parent is saturated, not finished
  EXPECT_FALSE(g.flag("stage.runnable", 1));
  EXPECT_EQ(g.i32("limit.min"), 1);
}

TEST_F(ChainTest, CorrectRunsToTheEnd) {
  Game g = game("correct");
  g.reset();
  g.choose(0, 2);
  g.choose(1, 1);  // parks: stage 0 has not finished
  EXPECT_DOUBLE_EQ(g.now(), 4.6);
  EXPECT_EQ(g.f32("source.executors"), 2);  // the parked one and the one that finished the stage
  EXPECT_EQ(g.legal(), std::vector<int>{1});
  EXPECT_TRUE(g.flag("stage.runnable", 1));
  EXPECT_DOUBLE_EQ(g.f64("stage.ready_s", 1), 4.6);
  g.choose(1, 1);  // first at 2 executors, no warm-up: 0.8 s
  EXPECT_DOUBLE_EQ(g.now(), 10);
  EXPECT_DOUBLE_EQ(g.last().reward, -0.8);
  EXPECT_EQ(g.f32("source.executors"), 2);
  EXPECT_EQ(g.i32("job.id"), 1);
  g.choose(0, 1);
  EXPECT_EQ(g.last().end, End::terminated);
  EXPECT_DOUBLE_EQ(g.now(), 15);
  EXPECT_NEAR(g.reward(), -(5.4 + 5), 1e-12);
  EXPECT_DOUBLE_EQ(g.metric("avg_jct_s"), 5.2);
  EXPECT_DOUBLE_EQ(g.metric("p50_jct_s"), 5);
  EXPECT_DOUBLE_EQ(g.metric("p99_jct_s"), 5.4);
  EXPECT_DOUBLE_EQ(g.metric("makespan_s"), 15);
  EXPECT_NEAR(g.metric("utilisation"), (2 + 2.2 + 0.6 + 0.8 + 3) / 30, 1e-12);
  EXPECT_EQ(g.metric("executor_moves"), 3);
  EXPECT_EQ(g.metric("jobs_done"), 2);
  // Ideals: work over 2 executors 1.6125 s, chain 1.575 s; the single task 3 s.
  EXPECT_NEAR(g.metric("avg_slowdown"), (5.4 / 1.6125 + 5.0 / 3) / 2, 1e-12);
  EXPECT_EQ(g.env().event_count(), 2u + 3 + 5);
}

/// The level is always the largest (5 and more were not measured), and an executor that came from
/// its job's pool counts as fresh.
TEST_F(ChainTest, CompatRunsToTheEnd) {
  Game g = game("compat");
  g.reset();
  g.choose(0, 2);  // 2.2 s for both; then 0.6 s on the first
  EXPECT_DOUBLE_EQ(g.now(), 4.2);
  g.choose(1, 1);
  EXPECT_DOUBLE_EQ(g.now(), 4.8);
  EXPECT_FLOAT_EQ(g.f32("stage.mean_duration_s", 0), 0.6F);  // the last launched task
  g.choose(1, 1);                                            // 0.8 + 1 s
  EXPECT_DOUBLE_EQ(g.last().reward, -1.8);
  g.choose(0, 1);
  EXPECT_DOUBLE_EQ(g.metric("avg_jct_s"), (6.6 + 5) / 2);
}

TEST(DagSchedulingRules, DelayOfZeroMovesFreely) {
  const WorkloadFile workload({single("a", 2, 1000)});
  Game g("executors=2,jobs=1,moving_delay_s=0,warmup_delay_s=5,workload=" + workload.path());
  g.reset();
  g.choose(0, 2);
  EXPECT_TRUE(g.over());
  EXPECT_DOUBLE_EQ(g.now(), 1);
  EXPECT_EQ(g.metric("executor_moves"), 2);
}

/// Three executors and jobs a (two tasks), b (long) and c (late). An executor that is on its way
/// when its job ends arrives without a job and takes the first stage with work left.
TEST(DagSchedulingRules, LateArrivalTakesAnotherStage) {
  const WorkloadFile workload({{"a", {constant_stage(2, 2000)}},
                               {"b", {constant_stage(1, 100'000)}},
                               {"c", {constant_stage(2, 4000)}}});
  const TemporaryFile arrivals("time_s,job\n0,a\n0,b\n6.5,c\n");
  Game g(fields(workload, arrivals, "executors=3,moving_delay_s=5,warmup_delay_s=0"));
  g.reset();
  g.choose(0, 1);                             // 0 -> a, at work from 5 s to 7 s to 9 s
  EXPECT_EQ(g.legal(), std::vector<int>{1});  // a was chosen in this round
  g.choose(1, 1);                             // 1 -> b, 5 s to 105 s; 2 is withheld from a
  EXPECT_DOUBLE_EQ(g.now(), 6.5);
  EXPECT_EQ(g.f32("source.executors"), 1);
  EXPECT_EQ(g.legal(), (std::vector<int>{0, 2}));
  g.choose(0, 2);  // 2 -> a, until 11.5 s, but 0 takes both tasks
  EXPECT_DOUBLE_EQ(g.now(), 9);
  EXPECT_EQ(g.count("jobs"), 2u);
  EXPECT_EQ(g.cluster().executors()[2].target, dag_scheduling::kNone);
  EXPECT_EQ(g.legal(), std::vector<int>{1});
  EXPECT_FALSE(g.flag("job.source", 0) || g.flag("job.source", 1));
  g.choose(1,
           1);  // 0 -> c, at work from 14 s; 2 lands at 11.5 s, goes on to c, at work from 16.5 s
  EXPECT_TRUE(g.over());
  EXPECT_DOUBLE_EQ(g.metric("p50_jct_s"), 20.5 - 6.5);
  EXPECT_DOUBLE_EQ(g.metric("makespan_s"), 105);
  EXPECT_EQ(g.metric("executor_moves"), 5);
}

/// An executor that reaches a stage whose tasks the others took works on another stage of the job.
TEST(DagSchedulingRules, BackUpInTheSameJob) {
  const WorkloadFile workload({{"a", {constant_stage(2, 2000), constant_stage(2, 10'000)}},
                               {"b", {constant_stage(1, 1000)}}});
  const TemporaryFile arrivals("time_s,job\n0,a\n6.5,b\n");
  Game g(fields(workload, arrivals, "executors=3,moving_delay_s=5,warmup_delay_s=0"));
  g.reset();
  g.choose(0, 1);  // 0 -> stage 0, at work from 5 s to 9 s
  g.choose(1, 2);  // 1 -> stage 1, at work from 5 s
  EXPECT_DOUBLE_EQ(g.now(), 6.5);
  EXPECT_EQ(g.legal(), (std::vector<int>{0, 1, 2}));
  g.choose(0, 3);  // 2 -> stage 0, until 11.5 s
  EXPECT_DOUBLE_EQ(g.now(), 9);
  EXPECT_EQ(g.legal(), (std::vector<int>{1, 2}));
  g.choose(2, 1);  // 0 -> b, done at 15 s; at 11.5 s 2 takes the second task of stage 1
  EXPECT_TRUE(g.over());
  EXPECT_DOUBLE_EQ(g.now(), 21.5);
  EXPECT_EQ(g.metric("executor_moves"), 4);
}

/// What happens at one time comes before the decision: two jobs, and two stages that drain.
TEST(DagSchedulingRules, DecisionsComeAfterTheInstant) {
  const WorkloadFile workload({single("a", 1, 1000), single("b", 1, 9000)});
  const TemporaryFile arrivals("time_s,job\n0,a\n0,a\n1,b\n1,b\n");
  Game g(fields(workload, arrivals, "executors=2,moving_delay_s=0,warmup_delay_s=0"));
  g.reset();
  EXPECT_EQ(g.count("jobs"), 2u);
  g.choose(0, 1);
  g.choose(1, 1);
  EXPECT_DOUBLE_EQ(g.now(), 1);
  EXPECT_EQ(g.count("jobs"), 2u);  // both a are done, both b have come
  EXPECT_EQ(g.i32("job.id", 0), 2);
  EXPECT_EQ(g.f32("source.executors"), 2);
  EXPECT_DOUBLE_EQ(g.last().reward, -2);
}

/// The released simulator decides between two events of the same time.
TEST(DagSchedulingRules, CompatDecidesBetweenEventsOfOneInstant) {
  const WorkloadFile workload({single("a", 2, 1000), single("b", 1, 9000)});
  const TemporaryFile arrivals("time_s,job\n0,a\n0,b\n");
  const auto play = [&](const std::string& semantics) {
    Game g(fields(workload, arrivals,
                  "executors=2,moving_delay_s=0,warmup_delay_s=0,semantics=" + semantics));
    g.reset();
    g.choose(0, 2);
    EXPECT_DOUBLE_EQ(g.now(), 1);
    return g.count("jobs");
  };
  EXPECT_EQ(play("correct"), 1u);
  EXPECT_EQ(play("compat"), 2u);  // the second task of a ends at the same time, later
}

TEST(DagSchedulingRules, MakespanObjectiveIsTheTime) {
  const WorkloadFile workload({single("a", 4, 1000)});
  Game g("executors=1,jobs=3,moving_delay_s=0,warmup_delay_s=0,objective=makespan,workload=" +
         workload.path());
  g.reset();
  while (!g.over()) g.choose_first();
  EXPECT_DOUBLE_EQ(g.reward(), -12);
  EXPECT_DOUBLE_EQ(g.elapsed_s(), 12);
  EXPECT_DOUBLE_EQ(g.metric("makespan_s"), 12);
  EXPECT_DOUBLE_EQ(g.metric("avg_jct_s"), 8);
  EXPECT_EQ(g.spec().metrics.front().name, "makespan_s");  // what training and tuning judge by
  EXPECT_EQ(g.spec().metrics.at(1).name, "avg_jct_s");
}

TEST(DagSchedulingRules, LimitCountsWhatTheJobHas) {
  const WorkloadFile workload({{"wide", {constant_stage(9, 10'000), constant_stage(9, 10'000)}}});
  Game g("executors=8,jobs=1,moving_delay_s=1,warmup_delay_s=0,workload=" + workload.path());
  g.reset();
  g.choose(0, 3);  // three for stage 0
  EXPECT_EQ(g.i32("limit.min"), 4);
  EXPECT_EQ(g.f32("job.committed"), 3);
  EXPECT_EQ(g.f32("stage.committed", 0), 3);
  EXPECT_EQ(g.f32("source.executors"), 5);
  EXPECT_THROW(g.choose(1, 3), std::logic_error);
  EXPECT_THROW(g.choose(0, 5), std::logic_error);  // chosen in this round
  g.choose(1, 5);                                  // two more for stage 1; nothing else is legal
  EXPECT_DOUBLE_EQ(g.now(), 31);                   // 9 tasks on 3 executors
  EXPECT_EQ(g.f32("job.executors"), 5);
  EXPECT_EQ(g.f32("source.executors"), 3);
  EXPECT_EQ(g.i32("limit.min"), 3);  // two stay whatever is decided
}

}  // namespace rules_test
}  // namespace park::test
