// The environment as others see it: pools, clones, versions of jobs, memory, a few values of
// config.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/envs/dag_scheduling/fixture.h"
#include "tests/kit/memory.h"

namespace park::test {
namespace env_test {

std::vector<dag_scheduling::JobProfile> jobs() {
  return {{"a", {constant_stage(5, 700), constant_stage(3, 1300, {0})}},
          {"b", {constant_stage(9, 400)}},
          {"c", {constant_stage(2, 2000), constant_stage(2, 100), constant_stage(4, 300, {0, 1})}}};
}

class DagEnvTest : public ::testing::Test {
 protected:
  DagEnvTest() { envs::register_all(registry_); }
  std::string text(const std::string& fields) const {
    return "dag_scheduling(workload=" + workload_.path() + "," + fields + ")";
  }
  const WorkloadFile workload_{jobs()};
  Registry registry_;
};

TEST_F(DagEnvTest, IsRegisteredWithItsPolicies) {
  EXPECT_NO_THROW(validate(registry_.spec(text("jobs=3"))));
  EXPECT_EQ(registry_.canonical_env(text("moving_delay_s=0.25,executors=3")),
            "dag_scheduling(executors=3,workload=" + workload_.path() + ",moving_delay_s=0.25)");
  const auto policies = registry_.policies_for(registry_.spec(text("jobs=3")));
  for (const char* name : {"fifo", "fair", "sjf_cp", "weighted_fair", "random"})
    EXPECT_NE(std::ranges::find(policies, name), policies.end()) << name;
}

/// Playing a list of episodes a second time allocates nothing: neither in 10 000 decisions of an
/// overloaded cluster, nor with several classes of executors.
TEST_F(DagEnvTest, SteadyStateAllocatesNothing) {
  for (const std::string fields :
       {"executors=4,jobs=5500,arrival=poisson,interval_s=1.3",
        "executors=6,jobs=50,arrival=poisson,interval_s=1,moving_delay_s=0.1,classes=[class(share="
        "0.5,memory=0),class(share=0.5)]"}) {
    const std::vector<Episode> list{{.inputs = 1, .dynamics = 2},
                                    {.inputs = 3, .dynamics = 4, .horizon_s = 60}};
    std::vector<Episode> twice = list;
    twice.insert(twice.end(), list.begin(), list.end());
    const FixedEpisodes source(twice);
    const auto stream = registry_.stream(text(fields), source);
    const auto policy = registry_.policy("fair", stream->spec());
    std::optional<AllocationCount> count;
    std::size_t allocations = 0;
    std::uint64_t decisions = 0;
    play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
      if (!count && !d.asked.empty() && d.asked[0].episode.id == list.size()) count.emplace();
      if (!count) return;
      for (const Ended& e : d.ended)
        if (e.episode.id >= list.size()) decisions += e.decisions;
      allocations = count->count();
    });
    EXPECT_EQ(allocations, 0u) << fields;
    if (fields.find("jobs=5500") != std::string::npos) {
      EXPECT_GT(decisions, 10'000u);
    }
  }
}

/// A job's version rises whenever one of its leaves changed.
TEST_F(DagEnvTest, VersionsTellChanges) {
  Game g("executors=5,jobs=12,arrival=poisson,interval_s=4,workload=" + workload_.path());
  g.reset({.inputs = 4});
  Rng rng(2);
  std::map<int, std::pair<int, std::vector<double>>> seen;  // by job: version, values
  std::size_t unchanged = 0;
  while (!g.over()) {
    std::size_t s = 0;
    for (std::size_t j = 0; j < g.count("jobs"); ++j) {
      std::vector<double> values{
          g.f32("job.stages_left", j), g.f32("job.tasks_left", j),    g.f32("job.work_left_s", j),
          g.f32("job.executors", j),   g.f32("job.moving", j),        g.f32("job.committed", j),
          g.f32("job.demand", j),      1.0 * g.flag("job.source", j), 1.0 * g.i32("limit.min", j)};
      for (; s < g.count("stages") && g.i32("stage.job", s) == static_cast<int>(j); ++s)
        for (const char* leaf : {"stage.tasks_left", "stage.tasks_running", "stage.committed",
                                 "stage.moving", "stage.last_duration_s"})
          values.push_back(g.f32(leaf, s));
      auto& [version, before] = seen[g.i32("job.id", j)];
      const int now = g.i32("job.version", j);
      if (!before.empty() && now == version) {
        EXPECT_EQ(before, values);
        ++unchanged;
      }
      EXPECT_GE(now, version);
      version = now;
      before = values;
    }
    g.choose_random(rng);
  }
  EXPECT_GT(unchanged, 10u);
}

TEST_F(DagEnvTest, CloneGoesOnAlone) {
  Game g("executors=3,jobs=10,arrival=poisson,interval_s=3,workload=" + workload_.path());
  g.reset({.inputs = 2, .dynamics = 3});
  Rng rng(1);
  for (int n = 0; n < 8; ++n) g.choose_random(rng);
  const auto copy = g.env().clone();
  Batch observation(g.spec().observation), action(g.spec().action);
  action.resize(1);
  ActionSpace space(g.spec());
  Rng other = rng;
  std::vector<double> expected(g.spec().metrics.size()), found = expected;
  observation.append();
  observation.row(0).assign(g.row());
  for (Outcome o; o.end == End::none;) {
    space.sample(observation.row(0), action.row(0), other);
    observation.clear();
    o = copy->step(action.row(0), observation.append());
  }
  while (!g.over()) g.choose_random(rng);
  g.env().metrics(expected);
  copy->metrics(found);
  EXPECT_EQ(found, expected);
}

/// Where jobs come and go between two decisions of the same slot, indices stay right.
TEST_F(DagEnvTest, SlotsOfJobsAreUsedAgain) {
  Game g("executors=50,jobs=400,arrival=poisson,interval_s=0.6,moving_delay_s=0.1,workload=" +
         workload_.path());
  g.reset({.inputs = 9, .dynamics = 9});
  int last = -1;
  while (!g.over()) {
    for (std::size_t j = 1; j < g.count("jobs"); ++j)
      ASSERT_LT(g.i32("job.id", j - 1), g.i32("job.id", j));
    last = std::max(last, g.i32("job.id", g.count("jobs") - 1));
    g.choose_first();
  }
  EXPECT_EQ(last, 399);
  EXPECT_EQ(g.metric("jobs_done"), 400);
}

TEST_F(DagEnvTest, GapsOfCompatAreWholeMilliseconds) {
  for (const std::string semantics : {"compat", "correct"}) {
    Game g("executors=1,jobs=200,arrival=poisson,interval_s=1,semantics=" + semantics +
           ",workload=" + workload_.path());
    EventLog log;
    g.env().events(&log);
    g.reset({.inputs = 5});
    while (!g.over()) g.choose_first();
    int whole = 0;
    for (const auto& p : log.points_called("arrival")) {
      const double ms = p.start_s * 1000;
      whole += std::abs(ms - std::round(ms)) < 1e-6;
    }
    EXPECT_EQ(whole == 200, semantics == "compat");
  }
}

}  // namespace env_test
}  // namespace park::test
