// What holds at every decision of every episode, and what the observation must say, recomputed from
// the state of the simulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace invariants_test {

using dag_scheduling::kNone;
using dag_scheduling::Wave;

/// Six jobs with 1 to 7 stages; some indices of parents are above the child's.
std::vector<dag_scheduling::JobProfile> mixed_jobs() {
  Rng rng(11);
  std::vector<dag_scheduling::JobProfile> jobs;
  for (int j = 0; j < 6; ++j) {
    dag_scheduling::JobProfile& job = jobs.emplace_back();
    job.name = "job" + std::to_string(j);
    const auto stages = static_cast<std::uint16_t>(1 + 6 * j / 5);
    for (std::uint16_t i = 0; i < stages; ++i) {
      const auto ms = static_cast<std::uint32_t>(200 + rng.below(3000));
      Cells cells{{Wave::first, 2, {ms, 2 * ms, 3 * ms}},
                  {Wave::first, 8, {2 * ms, 3 * ms}},
                  {Wave::rest, 2, {ms / 2, ms}},
                  {Wave::rest, 4, {ms, ms + 1}},
                  {Wave::fresh, 8, {4 * ms}}};
      job.stages.push_back(stage(static_cast<std::int32_t>(1 + rng.below(12)), {}, cells));
      job.stages.back().memory = static_cast<float>(rng.below(4)) / 4;
      for (std::uint16_t p = 0; p < i; ++p)
        if (rng.below(3) == 0) job.stages.back().parents.push_back(p);
    }
    if (stages > 2) std::swap(job.stages[0].parents, job.stages[1].parents);
    if (stages > 2) job.stages[0].parents = {1}, job.stages[1].parents = {};
  }
  return jobs;
}

class InvariantsTest : public ::testing::TestWithParam<const char*> {
 protected:
  InvariantsTest() : game_(std::string(GetParam()) + ",workload=" + workload_.path()) {}

  void check_executors() const {
    const dag_scheduling::Cluster& c = game_.cluster();
    std::map<std::uint32_t, int> attached, moving;
    int unattached = 0;
    for (const dag_scheduling::ExecutorState& x : c.executors()) {
      if (x.moving) {
        ASSERT_EQ(x.job, kNone);
        if (x.target != kNone) ++moving[x.target];
      } else if (x.job == kNone) {
        ++unattached;
        ASSERT_EQ(x.stage, kNone);
      } else {
        ++attached[x.job];
      }
    }
    for (const std::uint32_t slot : c.active()) {
      const dag_scheduling::JobState& job = c.job(slot);
      ASSERT_EQ(job.executors, attached[slot]);
      int to_job = 0;
      for (std::uint32_t id = job.first; id < job.first + job.stages; ++id) {
        ASSERT_EQ(c.stage(id).moving, moving[id]);
        to_job += moving[id];
      }
      ASSERT_EQ(job.moving, to_job);
    }
    ASSERT_GE(unattached, 0);
  }

  void check_stages() const {
    const dag_scheduling::Cluster& c = game_.cluster();
    for (const std::uint32_t slot : c.active()) {
      const dag_scheduling::JobState& job = c.job(slot);
      for (std::uint32_t i = 0; i < job.stages; ++i) {
        const dag_scheduling::StageState& s = c.stage(job.first + i);
        ASSERT_GE(s.committed, 0);
        ASSERT_GE(s.moving, 0);
        ASSERT_LE(s.finished, s.launched);
        ASSERT_LE(s.launched, s.tasks);
        const auto& parents = profile(job).stages[i].parents;
        int left = 0, unsaturated = 0;
        for (const std::uint16_t p : parents) {
          const dag_scheduling::StageState& parent = c.stage(job.first + p);
          left += parent.finished < parent.tasks;
          unsaturated += parent.demand() > 0;
        }
        ASSERT_EQ(s.parents_left, left);
        ASSERT_EQ(s.schedulable, s.demand() > 0 && unsaturated == 0);
        ASSERT_TRUE(s.launched == 0 || left == 0) << "a task started before its parents were done";
      }
    }
  }

  void check_observation() const {
    const dag_scheduling::Cluster& c = game_.cluster();
    std::size_t at = 0;
    ASSERT_EQ(game_.count("jobs"), c.active().size());
    for (std::size_t j = 0; j < c.active().size(); ++j) {
      const dag_scheduling::JobState& job = c.job(c.active()[j]);
      check_job(j, job);
      for (std::uint32_t i = 0; i < job.stages; ++i, ++at) {
        ASSERT_EQ(game_.i32("stage.job", at), static_cast<int>(j));
        check_stage(at, c.stage(job.first + i), profile(job).stages[i]);
      }
    }
    ASSERT_EQ(game_.count("stages"), at);
    check_edges();
    check_totals();
  }

  void check_job(std::size_t j, const dag_scheduling::JobState& job) const {
    double work_left = 0, demand = 0;
    int tasks_left = 0, done = 0;
    for (std::uint32_t i = 0; i < job.stages; ++i) {
      const dag_scheduling::StageState& s = game_.cluster().stage(job.first + i);
      work_left += (s.tasks - s.launched) * mean_s(profile(job).stages[i]);
      demand += std::max(0, s.demand());
      tasks_left += s.tasks - s.launched;
      done += s.finished == s.tasks;
    }
    ASSERT_EQ(game_.i32("job.id", j), static_cast<int>(job.number));
    ASSERT_FLOAT_EQ(game_.f32("job.work_left_s", j), static_cast<float>(work_left));
    ASSERT_EQ(game_.f32("job.demand", j), demand);
    ASSERT_EQ(game_.f32("job.tasks_left", j), tasks_left);
    ASSERT_EQ(game_.f32("job.stages_left", j), static_cast<int>(job.stages) - done);
    ASSERT_EQ(game_.f32("job.stage_count", j), job.stages);
    ASSERT_EQ(game_.f32("job.executors", j), job.executors);
    ASSERT_EQ(game_.f32("job.moving", j), job.moving);
    ASSERT_EQ(game_.f32("job.committed", j), job.committed);
    const dag_scheduling::Round& round = game_.cluster().round();
    const bool source =
        round.active && round.job != kNone && &job == &game_.cluster().job(round.job);
    ASSERT_EQ(game_.flag("job.source", j), source);
    const int kept = job.executors + job.moving + job.committed - (source ? round.total : 0);
    if (!game_.over()) {
      ASSERT_EQ(game_.i32("limit.min", j), kept + 1);
    }
  }

  void check_stage(std::size_t at, const dag_scheduling::StageState& s,
                   const dag_scheduling::StageProfile& profile) const {
    ASSERT_EQ(game_.f32("stage.tasks", at), profile.tasks);
    ASSERT_FLOAT_EQ(game_.f32("stage.mean_duration_s", at), static_cast<float>(mean_s(profile)));
    ASSERT_EQ(game_.f32("stage.tasks_left", at), s.tasks - s.launched);
    ASSERT_EQ(game_.f32("stage.tasks_running", at), s.launched - s.finished);
    ASSERT_EQ(game_.f32("stage.committed", at), s.committed);
    ASSERT_EQ(game_.f32("stage.moving", at), s.moving);
    ASSERT_EQ(game_.flag("stage.runnable", at), s.parents_left == 0 && s.launched < s.tasks);
    ASSERT_EQ(game_.flag("mask.stage", at), game_.cluster().legal(s));
    ASSERT_EQ(game_.f64("stage.ready_s", at) >= 0, s.parents_left == 0);
  }

  void check_edges() const {
    std::vector<std::pair<int, int>> expected, found;
    int first = 0;
    for (const std::uint32_t slot : game_.cluster().active()) {
      const auto& stages = profile(game_.cluster().job(slot)).stages;
      for (std::size_t i = 0; i < stages.size(); ++i)
        for (const std::uint16_t p : stages[i].parents)
          expected.emplace_back(first + p, first + static_cast<int>(i));
      first += static_cast<int>(stages.size());
    }
    for (std::size_t e = 0; e < game_.count("edges"); ++e)
      found.emplace_back(game_.i32("edge.parent", e), game_.i32("edge.child", e));
    std::ranges::sort(expected);
    std::ranges::sort(found);
    ASSERT_EQ(expected, found);
  }

  void check_totals() const {
    const dag_scheduling::Cluster& c = game_.cluster();
    std::vector<int> busy(c.classes(), 0);
    std::vector<float> source(c.classes()), idle(c.classes());
    int running = 0;
    for (const dag_scheduling::ExecutorState& x : c.executors()) busy[x.executor_class] += x.moving;
    for (const std::uint32_t slot : c.active())
      for (std::uint32_t i = 0; i < c.job(slot).stages; ++i)
        running +=
            c.stage(c.job(slot).first + i).launched - c.stage(c.job(slot).first + i).finished;
    float free = 0;
    for (std::size_t k = 0; k < c.classes(); ++k) {
      free += game_.f32("cluster.free", k);
      source[k] = game_.f32("source.executors", k);
    }
    const int moving = std::reduce(busy.begin(), busy.end());
    ASSERT_EQ(free,
              static_cast<float>(c.executors().size()) - static_cast<float>(running + moving));
    if (!game_.over()) {
      ASSERT_GT(std::reduce(source.begin(), source.end()), 0);
      ASSERT_FALSE(game_.legal().empty());
    }
  }

  [[nodiscard]] const dag_scheduling::JobProfile& profile(
      const dag_scheduling::JobState& job) const {
    return jobs_[job.plan];
  }
  static double mean_s(const dag_scheduling::StageProfile& s) {
    double sum = 0, n = 0;
    for (const auto& cell : s.cells)
      for (const std::uint32_t ms : cell.durations_ms) sum += ms, ++n;
    return sum / n / 1000;
  }

  const std::vector<dag_scheduling::JobProfile> jobs_ = mixed_jobs();
  const WorkloadFile workload_{jobs_};
  Game game_;
};

TEST_P(InvariantsTest, HoldAtEveryDecision) {
  for (std::uint64_t k = 0; k < 12; ++k) {
    Rng choices(k);
    game_.reset({.id = k, .inputs = k, .dynamics = k + 100});
    for (int n = 0; n < 5000 && !game_.over(); ++n) {
      ASSERT_NO_FATAL_FAILURE(check_executors());
      ASSERT_NO_FATAL_FAILURE(check_stages());
      ASSERT_NO_FATAL_FAILURE(check_observation());
      game_.choose_random(choices);
    }
    ASSERT_EQ(game_.last().end, End::terminated);
    ASSERT_NO_FATAL_FAILURE(check_observation());
    EXPECT_EQ(game_.count("jobs"), 0u);
    EXPECT_EQ(game_.metric("jobs_done"), 25);
    // The rewards add up to minus the sum of all completion times, and elapsed times to the clock.
    EXPECT_NEAR(game_.reward(), -25 * game_.metric("avg_jct_s"), 1e-6);
    EXPECT_NEAR(game_.elapsed_s(), game_.metric("makespan_s"), 1e-9);
    EXPECT_GT(game_.metric("utilisation"), 0);
    EXPECT_LE(game_.metric("utilisation"), 1);
  }
}

/// On the timeline: no executor does two things at once, every stage runs all its tasks once and
/// after its parents, an executor moves before it works for another job.
TEST_P(InvariantsTest, HoldOnTheTimeline) {
  EventLog log;
  game_.env().events(&log);
  Rng choices(3);
  game_.reset({.inputs = 5, .dynamics = 6});
  while (!game_.over()) game_.choose_random(choices);
  std::map<std::string, std::vector<const EventLog::Entry*>> lanes;
  std::map<std::pair<int, int>, std::pair<double, double>> stages;  // first start, last end
  std::map<std::pair<int, int>, int> tasks;
  std::map<int, std::size_t> plans;
  for (const auto& p : log.points_called("arrival"))
    plans[static_cast<int>(p.arg("job"))] = static_cast<std::size_t>(p.arg("workload_job"));
  for (const EventLog::Entry& e : log.spans) {
    lanes[e.lane].push_back(&e);
    if (e.what == "moving") continue;
    const std::pair key(static_cast<int>(e.arg("job")), static_cast<int>(e.arg("stage")));
    ++tasks[key];
    auto [it, added] = stages.try_emplace(key, e.start_s, e.end_s);
    it->second.first = std::min(it->second.first, e.start_s);
    it->second.second = std::max(it->second.second, e.end_s);
  }
  for (const auto& [lane, spans] : lanes) {
    int job = -1;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (i > 0) {
        ASSERT_GE(spans[i]->start_s, spans[i - 1]->end_s) << lane;
      }
      if (spans[i]->what == "moving") {
        job = -1;
        continue;
      }
      const int now = static_cast<int>(spans[i]->arg("job"));
      ASSERT_TRUE(job == -1 || job == now) << lane << " changed its job without moving";
      ASSERT_EQ(spans[i]->arg("wave") == 0, job == -1) << "the first task in a job is fresh";
      job = now;
    }
  }
  ASSERT_EQ(plans.size(), 25u);
  for (const auto& [job, plan] : plans)
    for (std::size_t i = 0; i < jobs_[plan].stages.size(); ++i) {
      const std::pair key(job, static_cast<int>(i));
      EXPECT_EQ(tasks[key], jobs_[plan].stages[i].tasks);
      for (const std::uint16_t p : jobs_[plan].stages[i].parents)
        EXPECT_GE(stages[key].first, stages[std::pair(job, static_cast<int>(p))].second);
    }
  EXPECT_EQ(log.points_called("completion").size(), 25u);
  for (const auto& [lane, spans] : lanes)
    EXPECT_EQ(std::ranges::count(log.lanes, lane), 1) << lane << " was not announced once";
  ASSERT_EQ(log.jobs.size(), 25u);
  for (const EventLog::Job& job : log.jobs) {
    const auto& plan = jobs_[plans.at(static_cast<int>(job.number))];
    EXPECT_EQ(job.name, plan.name);
    ASSERT_EQ(job.parents.size(), plan.stages.size());
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
      EXPECT_EQ(job.parents[i], plan.stages[i].parents);
      EXPECT_EQ(job.tasks[i], plan.stages[i].tasks);
    }
  }
}

/// With several classes of executors, lanes tell them and stages tell what a task needs.
TEST_P(InvariantsTest, TheTimelineTellsClasses) {
  EventLog log;
  game_.env().events(&log);
  game_.reset({.inputs = 5, .dynamics = 6});
  while (!game_.over()) game_.choose_first();
  const bool several = game_.cluster().classes() > 1;
  const auto executors = game_.cluster().executors();
  ASSERT_EQ(std::ranges::count_if(log.lanes, [](const auto& l) { return l.starts_with("exec"); }),
            std::ssize(executors));
  for (std::size_t e = 0; e < executors.size(); ++e) {
    const std::string own = "executor " + std::to_string(e);
    const std::string its_class = ", class " + std::to_string(executors[e].executor_class);
    EXPECT_EQ(log.lanes[e], several ? own + its_class : own);
  }
  for (const EventLog::Job& job : log.jobs) {
    std::vector<double> needs;
    const auto plan = std::ranges::find(jobs_, job.name, &dag_scheduling::JobProfile::name);
    ASSERT_NE(plan, jobs_.end());
    for (const auto& stage : plan->stages) needs.push_back(stage.memory);
    EXPECT_EQ(job.memory, several ? needs : std::vector<double>());
  }
}

/// The series "running mean of JCT (s)" is the mean over the completions so far, and ends at the
/// metric.
TEST_P(InvariantsTest, TimelineMeansAgreeWithTheMetric) {
  EventLog log;
  game_.env().events(&log);
  Rng choices(4);
  game_.reset({.inputs = 8, .dynamics = 9});
  while (!game_.over()) game_.choose_random(choices);
  const auto completions = log.points_called("completion");
  double sum_s = 0;
  std::size_t count = 0;
  for (const EventLog::Entry& v : log.values) {
    if (v.lane != "running mean of JCT (s)") continue;
    ASSERT_LT(count, completions.size());
    sum_s += completions[count].arg("jct_s");
    EXPECT_EQ(v.start_s, completions[count].start_s);
    EXPECT_NEAR(v.end_s, sum_s / static_cast<double>(++count), 1e-9 * sum_s);
  }
  EXPECT_EQ(count, completions.size());
  EXPECT_NEAR(game_.metric("avg_jct_s"), sum_s / static_cast<double>(count), 1e-9 * sum_s);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, InvariantsTest,
    ::testing::Values(
        "executors=7,jobs=25,moving_delay_s=1,warmup_delay_s=0.5",
        "executors=3,jobs=25,moving_delay_s=0,warmup_delay_s=0,arrival=poisson,interval_s=20",
        "executors=20,jobs=25,moving_delay_s=3,arrival=poisson,interval_s=4",
        "executors=9,jobs=25,moving_delay_s=1,arrival=poisson,interval_s=15,classes=[class(share=0."
        "4,"
        "memory=0.25),class(share=0.3,memory=0.5),class(share=0.3,memory=1)]",
        "executors=6,jobs=25,moving_delay_s=1,classes=[class(share=0.8,memory=0.25),class(share=0."
        "2,"
        "memory=1)]"));

}  // namespace invariants_test
}  // namespace park::test
