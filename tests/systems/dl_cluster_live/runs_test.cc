// Runs of jobs: processes, all-reduce, checkpoints, deaths.
#include "systems/dl_cluster_live/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "park/envs/dl_cluster/speed_table.h"
#include "systems/dl_cluster_live/checkpoint.h"
#include "systems/dl_cluster_live/profile.h"
#include "systems/dl_cluster_live/scratch.h"
#include "tests/systems/dl_cluster_live/processes.h"

namespace park::dl_cluster_live {
namespace {

using namespace std::chrono_literals;
constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
constexpr auto kPatience = 60s;

/// One trainer for all tests.
class RunsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new Scratch("park-test");
    runs_ =
        new Runs({.stall_s = 20, .report_s = 0.01, .checkpoint_s = 0.02}, 2, scratch_->path(), {});
  }
  static void TearDownTestSuite() {
    delete runs_;
    delete scratch_;
  }
  void TearDown() override { runs().end_all(); }

  static Runs& runs() { return *runs_; }
  static std::filesystem::path folder(const std::string& name) { return scratch_->path() / name; }
  /// The next event of a kind; what comes before it is dropped.
  static RunEvent wait(RunEvent::What what) {
    const Deadline until = Clock::now() + kPatience;
    while (Clock::now() < until) {
      const auto event = runs().next(100ms);
      if (event && event->what == what) return *event;
    }
    ADD_FAILURE() << "no event " << static_cast<int>(what);
    return {};
  }
  /// The parameters after so many steps.
  static Checkpoint train(const std::string& name, std::int32_t kind, std::int32_t workers,
                          std::int64_t steps) {
    runs().start({.kind = kind, .workers = workers, .steps = steps, .folder = folder(name)});
    EXPECT_EQ(wait(RunEvent::What::finished).step, steps);
    EXPECT_TRUE(test::within(10, [] {
      static_cast<void>(runs().next(1ms));
      return runs().free_cores() == 2;
    }));
    return read_checkpoint(folder(name).string()).value();
  }

 private:
  static inline Scratch* scratch_ = nullptr;
  static inline Runs* runs_ = nullptr;
};

double largest_difference(const Checkpoint& a, const Checkpoint& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a.parameters[i] - b.parameters[i])));
  return most;
}

TEST_F(RunsTest, TwoWorkersTrainAsOneToRounding) {
  for (const std::int32_t kind : {kConv, kMlp}) {
    const std::string name(kJobKinds[static_cast<std::size_t>(kind)].name);
    const Checkpoint start = train(name + "0", kind, 1, 1);
    const Checkpoint one = train(name + "1", kind, 1, 12), two = train(name + "2", kind, 2, 12);
    ASSERT_EQ(one.parameters.size(), two.parameters.size());
    EXPECT_GT(largest_difference(one, start), 1e-3) << name;
    EXPECT_LT(largest_difference(one, two), 1e-5) << name;
    EXPECT_EQ(one.step, 12);
  }
}

TEST_F(RunsTest, TrainsOnFromACheckpointAsIfItHadNotStopped) {
  const Checkpoint whole = train("whole", kMlp, 2, 20);
  static_cast<void>(train("parts", kMlp, 2, 7));
  const Checkpoint parts = train("parts", kMlp, 2, 20);
  EXPECT_EQ(whole.parameters, parts.parameters);
}

TEST_F(RunsTest, StopsWithACheckpointOfItsLastStep) {
  const RunRequest request{.kind = kMlp, .workers = 2, .steps = kEndless, .folder = folder("stop")};
  const std::int32_t run = runs().start(request);
  EXPECT_EQ(runs().free_cores(), 0);
  EXPECT_EQ(wait(RunEvent::What::started).step, 0);
  static_cast<void>(wait(RunEvent::What::progress));
  runs().stop(run);
  const RunEvent stopped = wait(RunEvent::What::stopped);
  EXPECT_EQ(stopped.run, run);
  EXPECT_GT(stopped.step, 0);
  EXPECT_EQ(read_checkpoint(request.folder.string()).value().step, stopped.step);
  EXPECT_TRUE(test::within(10, [] {
    static_cast<void>(runs().next(1ms));
    return runs().free_cores() == 2;
  }));
  runs().start(request);
  EXPECT_EQ(wait(RunEvent::What::started).step, stopped.step);
}

TEST_F(RunsTest, AKilledWorkerEndsTheRunAndItsCheckpointStays) {
  const RunRequest request{.kind = kMlp, .workers = 2, .steps = kEndless, .folder = folder("kill")};
  runs().start(request);
  EXPECT_TRUE(test::within(60, [&] {
    static_cast<void>(runs().next(1ms));
    return read_checkpoint(request.folder.string()).has_value();
  }));
  const auto workers = test::workers(getpid());
  ASSERT_EQ(workers.size(), 2U);
  kill(workers.back().pid, SIGKILL);
  static_cast<void>(wait(RunEvent::What::failed));
  EXPECT_EQ(runs().free_cores(), 2);
  EXPECT_TRUE(test::all_gone(workers));
  runs().start(request);
  EXPECT_GT(wait(RunEvent::What::started).step, 0);
}

TEST_F(RunsTest, ACheckpointThatIsNoneFailsTheRun) {
  std::filesystem::create_directories(folder("broken"));
  std::ofstream(folder("broken") / "checkpoint") << "something else";
  runs().start({.kind = kMlp, .workers = 1, .steps = 5, .folder = folder("broken")});
  static_cast<void>(wait(RunEvent::What::failed));
}

TEST_F(RunsTest, ADeadTrainerFailsTheRunsAndIsReplaced) {
  const RunRequest request{.kind = kMlp, .workers = 1, .steps = kEndless, .folder = folder("dead")};
  runs().start(request);
  static_cast<void>(wait(RunEvent::What::started));
  for (const test::Process& one : test::descendants(getpid()))
    if (one.name == "park-trainer") kill(one.pid, SIGKILL);
  static_cast<void>(wait(RunEvent::What::failed));
  runs().start(request);
  static_cast<void>(wait(RunEvent::What::started));
}

TEST_F(RunsTest, AStandstillIsAFailure) {
  const Scratch scratch("park-test");
  Runs impatient({.stall_s = 0.5, .report_s = 0.01}, 1, scratch.path(), {});
  impatient.start({.kind = kMlp, .workers = 1, .steps = kEndless, .folder = scratch.path() / "a"});
  std::optional<RunEvent> event;
  while (!event || event->what != RunEvent::What::progress) event = impatient.next(100ms);
  const auto workers = test::workers(getpid());
  ASSERT_EQ(workers.size(), 1U);
  kill(workers[0].pid, SIGSTOP);
  event.reset();
  for (int i = 0; i < 600 && (!event || event->what != RunEvent::What::failed); ++i)
    event = impatient.next(100ms);
  ASSERT_TRUE(event && event->what == RunEvent::What::failed);
  EXPECT_TRUE(test::all_gone(workers));
}

/// A table of speeds from real runs, also with parameter servers.
TEST(ProfileLong, WritesATableThatTheSimulatorReads) {
  const ProfilePlan plan{.workers = {1, 2}, .servers = {1, 2}, .repeats = 1, .seconds = 0.02};
  std::size_t done = 0;
  const Profile all = profile(plan, {}, [&done] { ++done; });
  EXPECT_EQ(done, measurements_of(plan));
  const auto table = dl_cluster::SpeedTable::parse(profile_table(all, {"by a test"}), "table");
  ASSERT_EQ(table.types().size(), 3U);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    EXPECT_EQ(table.types()[kind].about.name, kJobKinds[kind].name);
    ASSERT_EQ(table.types()[kind].points.size(), 4U);
    for (const auto& p : table.types()[kind].points) EXPECT_GT(p.samples_per_s, 0);
  }
}

TEST(Profile, MakesATableOfItsPoints) {
  Profile all;
  for (std::int32_t kind = 0; kind < 3; ++kind)
    for (std::int32_t workers = 1; workers <= 4; ++workers)
      all.points.push_back({.kind = kind, .workers = workers, .samples_per_s = 1234.6 * workers});
  const std::string text = profile_table(all, {"first", "second"});
  EXPECT_TRUE(text.starts_with("# first\n# second\n# type,")) << text;
  const auto table = dl_cluster::SpeedTable::parse(text, "table");
  EXPECT_NEAR(table.speed(1, 1, 3), 3700, 1e-6);
  // 40 slots of 1200 s at the best speed.
  const auto& about = table.types()[2].about;
  EXPECT_NEAR(about.epochs * 80'000 * about.epoch_samples / 4940, 48'000, 500);
}

}  // namespace
}  // namespace park::dl_cluster_live
