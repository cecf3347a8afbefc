// The running twin of device_placement: steps of sleeping processes take what the simulator says, computed
// outputs do not depend on the placement, and a worker that is killed ends its step by name.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/device_placement/generator.h"
#include "park/envs/envs.h"
#include "systems/device_placement_live/live_step.h"
#include "systems/systems.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace placement_live_test {

using namespace device_placement;
using namespace device_placement_live;

/// The processes whose parent is this one.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string stat = read_text(entry.path() / "stat");
    const std::size_t end = stat.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream rest(stat.substr(end + 1));
    std::string state;
    pid_t found = 0;
    if (rest >> state >> found && found == parent && state != "Z")
      all.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return all;
}

/// The program of workers is the only child of this process.
pid_t pool() {
  const std::vector<pid_t> all = children_of(getpid());
  return all.size() == 1 ? all[0] : -1;
}

struct Placed {
  explicit Placed(std::uint64_t seed, std::size_t devices) {
    generate(Family::branches, 16, Rng(seed), graph);
    cluster.resize(devices);
    cluster.bytes_per_s.assign(devices * devices, 7.6e9);
    cluster.latency_s.assign(devices * devices, 25e-6);
    simulator.load(graph, cluster, device_placement::Order::rank);
    Rng rng(seed);
    for (std::size_t i = 0; i < graph.size(); ++i)
      device.push_back(static_cast<std::int32_t>(rng.below(devices)));
  }
  Graph graph;
  Cluster cluster;
  Simulator simulator;
  std::vector<std::int32_t> device;
};

TEST(LiveStep, TakesWhatTheSimulatorSays) {
  LiveConfig config;
  config.time_scale = 200;
  LiveStep live(config, {});
  Placed p(1, 3);
  const double simulated_s = p.simulator.step_s(p.device);
  const double measured_s = live.step_s(p.simulator, p.device);
  EXPECT_GT(measured_s / simulated_s, 0.99);
  EXPECT_LT(measured_s / simulated_s, 1.15);  // the machine may be busy
}

TEST(LiveStep, RefusesAKernelWhoseTimesSpread) {
  EXPECT_EQ(LiveStep::steady_kernel_s({.kernel_s = 2e-5, .spread = 0.1}), 2e-5);
  EXPECT_EQ(error_of([] {
              static_cast<void>(LiveStep::steady_kernel_s({.kernel_s = 2e-5, .spread = 0.25}));
            }),
            "device_placement_live: the machine is too busy for kind = compute: the times of one "
            "kernel spread by 25 %; allowed are 10 %");
}

WorkerPool::Order chain(OrderKind kind, std::vector<std::int32_t> devices, double cost_s) {
  WorkerPool::Order order;
  order.head = {.kind = kind, .devices = 2};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    order.operations.push_back({cost_s, devices[i], static_cast<std::int32_t>(i), 3});
    for (std::size_t j = 0; j < i; ++j)
      order.edges.push_back({static_cast<std::int32_t>(j), static_cast<std::int32_t>(i), 0, 0});
  }
  std::sort(order.edges.begin(), order.edges.end(),
            [](const auto& a, const auto& b) { return a.from < b.from; });
  order.head.operations = static_cast<std::int32_t>(order.operations.size());
  order.head.edges = static_cast<std::int32_t>(order.edges.size());
  order.links.assign(4, {});
  return order;
}

TEST(WorkerPool, OutputsDoNotDependOnThePlacement) {
  WorkerPool workers({});
  const auto outputs = [&](const std::vector<std::int32_t>& devices) {
    return workers.run(chain(OrderKind::compute, devices, 0)).outputs;
  };
  const std::uint64_t alone = outputs({0, 0, 0, 0, 0, 0});
  EXPECT_EQ(outputs({0, 1, 0, 1, 1, 0}), alone);
  EXPECT_EQ(outputs({1, 1, 0, 0, 0, 1}), alone);
  EXPECT_NE(outputs({0, 0, 0, 0, 0}), alone);
}

TEST(WorkerPool, AKilledWorkerEndsItsStepByName) {
  WorkerPool workers({});
  const pid_t program = pool();
  ASSERT_GT(program, 0);
  const auto begin = std::chrono::steady_clock::now();
  std::thread killer([&] {
    std::vector<pid_t> all;
    while (all.size() < 2) all = children_of(program);
    std::sort(all.begin(), all.end());
    kill(all[1], SIGKILL);
  });
  const std::string error = error_of([&] {
    static_cast<void>(workers.run(chain(OrderKind::timed, {0, 1, 0, 1}, 20)));
  });
  killer.join();
  EXPECT_EQ(error, "device_placement_live: the worker of device 1 ended with status 137");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  EXPECT_TRUE(children_of(program).empty());  // no orphan
  EXPECT_NEAR(workers.run(chain(OrderKind::timed, {0, 1}, 0.05)).step_s, 0.1, 0.05);
}

TEST(DevicePlacementLive, PlaysEpisodesOfItsTwin) {
  Registry registry;
  envs::register_all(registry);
  systems::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = 2});
  const auto stream =
      registry.stream("device_placement_live(nodes=8,devices=2,time_scale=100)", source);
  const auto policy = registry.policy("heft", stream->spec());
  const std::size_t ratio = stream->spec().metric("step_time_ratio");
  std::size_t episodes = 0;
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i, ++episodes) {
      EXPECT_GT(d.metrics_of(i)[ratio], 0.4);
      EXPECT_LT(d.metrics_of(i)[ratio], 1.5);
    }
  });
  EXPECT_EQ(episodes, 2u);
}

}  // namespace placement_live_test
}  // namespace park::test
