// Episodes of jobs that really train: rows, metrics, failures, silence, and what is left behind.
#include "systems/dl_cluster_live/dl_cluster_live.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "park/bench/play_stream.h"
#include "park/core/action_space.h"
#include "park/core/registry.h"
#include "park/envs/dl_cluster/layout.h"
#include "park/envs/envs.h"
#include "systems/dl_cluster_live/live_cluster.h"
#include "systems/systems.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/subprocess.h"
#include "tests/kit/temporary_file.h"
#include "tests/systems/dl_cluster_live/processes.h"

namespace park::dl_cluster_live {
namespace {

/// Speeds by which the seconds of the jobs become steps, so that a second here is about a second.
constexpr const char* kTable =
    "type,conv,1,0,1,0,100,0.5\ntype,mlp,1,0,1,0,100,0.5\ntype,wide,1,0,1,0,100,0.5\n"
    "speed,conv,1,1,10000\nspeed,conv,1,2,16000\nspeed,conv,1,3,20000\nspeed,conv,1,4,22000\n"
    "speed,mlp,1,1,4000\nspeed,mlp,1,2,4400\nspeed,mlp,1,3,4500\nspeed,mlp,1,4,4500\n"
    "speed,wide,1,1,25000\nspeed,wide,1,2,45000\nspeed,wide,1,3,60000\nspeed,wide,1,4,70000\n";

class LiveTest : public testing::Test {
 protected:
  LiveTest() : table_(kTable) {
    envs::register_all(registry_);
    systems::register_all(registry_);
  }

  /// 3600 seconds of the cluster are a second.
  DlClusterLiveConfig config(std::int32_t jobs, double most_work_s) const {
    DlClusterLiveConfig c;
    c.jobs = jobs;
    c.scale = 3600;
    c.span_s = 1800;
    c.most_work_s = most_work_s;
    c.round_s = 360;
    c.table = table_.path();
    return c;
  }
  std::string text(const DlClusterLiveConfig& c) const {
    return to_text(canonical(DlClusterLive::kName, c));
  }
  [[nodiscard]] static std::size_t metric(const Spec& spec, const std::string& name) {
    return spec.metric(name);
  }

  test::TemporaryFile table_;
  Registry registry_;
};

/// Answers every question by a function and keeps the end of the last context.
class Answering final : public Decider {
 public:
  using Answer = std::function<Applied(ConstRow, Row)>;
  explicit Answering(Answer answer) : answer_(std::move(answer)) {}

  Context open(const Episode&) override { return {0, ++contexts_}; }
  Applied decide(Context, const Outcome& o, ConstRow row, Row action, Deadline until) override {
    EXPECT_LT(until, Clock::now() + std::chrono::seconds(10));
    reward_ += o.reward;
    elapsed_s_ += o.elapsed_s;
    return answer_(row, action);
  }
  void close(Context, const Outcome& o, ConstRow, std::span<const double> values) override {
    reward_ += o.reward;
    elapsed_s_ += o.elapsed_s;
    last = o;
    metrics.assign(values.begin(), values.end());
  }
  [[nodiscard]] double reward() const noexcept { return reward_; }

  Outcome last;
  std::vector<double> metrics;

 private:
  Answer answer_;
  std::uint64_t contexts_ = 0;
  double reward_ = 0, elapsed_s_ = 0;
};

/// Takes the last move of the first job, that with the most workers, or ends the round.
Applied grant_most(const dl_cluster::ClusterLayout& l, ConstRow row, Row action) {
  const auto jobs = row[l.move_job], kinds = row[l.move_kind];
  std::int32_t move = static_cast<std::int32_t>(kinds.size()) - 1;
  for (std::int32_t m = 0; m + 1 < static_cast<std::int32_t>(kinds.size()); ++m)
    if (jobs[static_cast<std::size_t>(m)] == 0 &&
        row[l.move_workers][static_cast<std::size_t>(m)] > row[l.workers][0])
      move = m;
  action.scalar(l.move) = move;
  return Applied::policy;
}

/// Plays one episode of a configuration.
void play(const DlClusterLiveConfig& c, Answering& decider, const std::stop_token& stop = {}) {
  const FixedEpisodes source({{.inputs = 5, .dynamics = 5}});
  Episodes episodes(source, 0, 1);
  DlClusterLive(c).run(episodes, decider, stop);
}

TEST_F(LiveTest, HasTheLayoutOfItsTwin) {
  const Spec live = registry_.spec("dl_cluster_live");
  const Spec twin =
      registry_.spec("dl_cluster(model=allreduce,nodes=1,node_gpus=2,max_gpus=2,ladder=all)");
  EXPECT_EQ(layout_hash(live), layout_hash(twin));
  EXPECT_EQ(registry_.policies_for(live), registry_.policies_for(twin));
  EXPECT_EQ(registry_.spec("dl_cluster_live(speeds=none)").observation.find("type.speed"), nullptr);
}

TEST_F(LiveTest, TellsWhatIsWrongWithItsFields) {
  EXPECT_EQ(
      test::error_of([&] { static_cast<void>(registry_.env("dl_cluster_live(scale=6000)")); }),
      "round_s = 60 at scale = 6000 is too short: a round must take at least 0.02 s of real "
      "time");
  const test::TemporaryFile other(
      "type,conv,1,0,1,0,100,0.5\nspeed,conv,1,1,9\nspeed,conv,1,2,9\nspeed,conv,1,3,9\n"
      "speed,conv,1,4,9\n");
  EXPECT_EQ(test::error_of([&] {
              static_cast<void>(JobSpeeds::of_table(other.path(), {1, 2}));
            }),
            "table: '" + other.path() + "' has no type 'mlp'");
  EXPECT_EQ(ladder_of(10), (std::vector<std::int32_t>{1, 2, 3, 4, 8, 10}));
}

TEST_F(LiveTest, AHeuristicPlaysAnEpisode) {
  const std::string env = text(config(3, 900));
  const RandomEpisodes source(Rng(3), {.count = 1});
  const auto stream = registry_.stream(env, source);
  const auto policy = registry_.policy("equal_share", stream->spec());
  std::vector<bench::EpisodeResult> results;
  EXPECT_TRUE(
      bench::play_stream(*stream, *policy, Rng(1), results, [](auto, auto) { return true; }));
  ASSERT_EQ(results.size(), 1U);
  const Spec& spec = stream->spec();
  const auto value = [&](const std::string& name) {
    return results[0].metrics[metric(spec, name)];
  };
  EXPECT_EQ(value("jobs_done"), 3);
  EXPECT_EQ(value("failures"), 0);
  EXPECT_EQ(value("fallbacks"), 0);
  EXPECT_GT(value("change_s"), 0);
  EXPECT_GT(value("utilisation"), 0);
  EXPECT_GE(value("changes_per_job"), 1);
  // Rewards are minus the integral of the jobs, in job-hours.
  EXPECT_NEAR(results[0].reward, -3 * value("avg_jct_s") / 3600, 1e-6);
  EXPECT_TRUE(test::within(10, [] { return test::workers(getpid()).empty(); }));
}

// As in the simulator with the same table. The types of jobs by themselves would ask for more.
TEST_F(LiveTest, UsersAskForWhatTheSpeedsSuggest) {
  const test::TemporaryFile slower(
      "type,conv,1,0,1,0,100,0.5\ntype,mlp,1,0,1,0,100,0.5\ntype,wide,1,0,1,0,100,0.5\n"
      "speed,conv,1,1,40000\nspeed,conv,1,2,30000\nspeed,conv,1,3,9000\nspeed,conv,1,4,9000\n"
      "speed,mlp,1,1,40000\nspeed,mlp,1,2,10000\nspeed,mlp,1,3,9000\nspeed,mlp,1,4,9000\n"
      "speed,wide,1,1,40000\nspeed,wide,1,2,30000\nspeed,wide,1,3,9000\nspeed,wide,1,4,9000\n");
  DlClusterLiveConfig c = config(3, 60);
  c.table = slower.path();
  const dl_cluster::ClusterLayout l(LiveCluster::sizes_of(c));
  std::vector<float> requests;
  Answering decider([&](ConstRow row, Row action) {
    requests.insert(requests.end(), row[l.request_workers].begin(), row[l.request_workers].end());
    return grant_most(l, row, action);
  });
  play(c, decider);
  ASSERT_FALSE(requests.empty());
  for (const float request : requests) EXPECT_EQ(request, 1);
}

TEST_F(LiveTest, AKilledWorkerCostsAFailureAndTheJobIsDone) {
  DlClusterLiveConfig c = config(1, 2000);
  c.checkpoint_s = 0.05;
  const dl_cluster::ClusterLayout l(LiveCluster::sizes_of(c));
  Answering decider([&](ConstRow row, Row action) { return grant_most(l, row, action); });
  std::atomic<bool> killed = false;
  const std::jthread killer([&killed](const std::stop_token& over) {
    while (!killed && !over.stop_requested()) {
      const auto all = test::workers(getpid());
      if (!all.empty()) killed = kill(all.back().pid, SIGKILL) == 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  play(c, decider);
  const Spec spec = DlClusterLive::spec(c);
  EXPECT_TRUE(killed);
  EXPECT_EQ(decider.last.end, End::terminated);
  EXPECT_EQ(decider.metrics[metric(spec, "failures")], 1);
  EXPECT_EQ(decider.metrics[metric(spec, "jobs_done")], 1);
  EXPECT_EQ(decider.metrics[metric(spec, "jobs_given_up")], 0);
}

TEST_F(LiveTest, AJobThatFailsThreeTimesIsGivenUp) {
  DlClusterLiveConfig c = config(1, 1e6);
  const dl_cluster::ClusterLayout l(LiveCluster::sizes_of(c));
  Answering decider([&](ConstRow row, Row action) { return grant_most(l, row, action); });
  const std::jthread killer([](const std::stop_token& over) {
    while (!over.stop_requested()) {
      for (const test::Process& one : test::workers(getpid())) kill(one.pid, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  play(c, decider);
  const Spec spec = DlClusterLive::spec(c);
  EXPECT_EQ(decider.last.end, End::terminated);
  EXPECT_EQ(decider.metrics[metric(spec, "failures")], kMostFailures);
  EXPECT_EQ(decider.metrics[metric(spec, "jobs_given_up")], 1);
  EXPECT_EQ(decider.metrics[metric(spec, "jobs_done")], 0);
  EXPECT_TRUE(std::isnan(decider.metrics[metric(spec, "avg_jct_s")]));
}

TEST_F(LiveTest, WithoutALegalAnswerGrantsStay) {
  DlClusterLiveConfig c = config(1, 900);
  c.limit_s = 7200;
  const dl_cluster::ClusterLayout l(LiveCluster::sizes_of(c));
  int asked = 0;
  Answering decider([&](ConstRow row, Row action) {
    EXPECT_EQ(row[l.workers][0], 0);
    switch (asked++ % 3) {
      case 0:
        return Applied::fallback;
      case 1:
        return Applied::projected;
      default:
        action.scalar(l.move) = static_cast<std::int32_t>(row[l.move_kind].size());
        return Applied::policy;
    }
  });
  play(c, decider);
  const Spec spec = DlClusterLive::spec(c);
  EXPECT_EQ(decider.last.end, End::truncated);
  EXPECT_GE(asked, 3);
  EXPECT_EQ(decider.metrics[metric(spec, "fallbacks")], asked);
  EXPECT_EQ(decider.metrics[metric(spec, "granted_hours")], 0);
}

TEST_F(LiveTest, AStopEndsTheEpisode) {
  DlClusterLiveConfig c = config(1, 1e6);
  std::stop_source stop;
  std::vector<test::Process> all;
  const dl_cluster::ClusterLayout l(LiveCluster::sizes_of(c));
  Answering decider([&](ConstRow row, Row action) {
    const bool trains = !test::workers(getpid()).empty();
    all = test::descendants(getpid());
    if (trains) stop.request_stop();
    return grant_most(l, row, action);
  });
  play(c, decider, stop.get_token());
  EXPECT_EQ(decider.last.end, End::truncated);
  EXPECT_GE(all.size(), 2U);
  EXPECT_TRUE(test::within(10, [&] { return test::all_gone(all); }));
}

/// `park run`, once it trains, with all its processes.
std::vector<test::Process> started(const cli::Subprocess& park) {
  std::vector<test::Process> all;
  EXPECT_TRUE(test::within(60, [&] {
    const bool trains = !test::workers(park.pid()).empty();
    all = test::descendants(park.pid());
    return trains;
  }));
  return all;
}

TEST_F(LiveTest, CtrlCLeavesNoProcess) {
  cli::Subprocess park({"run", text(config(2, 1e6)), "--policy", "equal_share", "--episodes", "1"});
  const auto all = started(park);
  EXPECT_GE(all.size(), 2U);
  park.signal(SIGINT);
  static_cast<void>(park.finish(30));
  EXPECT_TRUE(test::within(10, [&] { return test::all_gone(all); }));
}

TEST_F(LiveTest, TheDeathOfTheSupervisorLeavesNoProcess) {
  const test::ScratchFolder temporary("live");  // it cannot remove its own
  setenv("TMPDIR", temporary.file("").c_str(), 1);
  cli::Subprocess park({"run", text(config(2, 1e6)), "--policy", "equal_share", "--episodes", "1"});
  unsetenv("TMPDIR");
  const auto all = started(park);
  park.signal(SIGKILL);
  EXPECT_EQ(park.finish(30).code, -SIGKILL);
  EXPECT_TRUE(test::within(10, [&] { return test::all_gone(all); }));
}

}  // namespace
}  // namespace park::dl_cluster_live
