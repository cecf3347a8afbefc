// Simulated steps per second of placed graphs: contiguous and random placements of bundled networks.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "park/core/rng.h"
#include "park/envs/device_placement/device_placement.h"
#include "park/envs/device_placement/plans.h"

namespace {

using namespace park;
using namespace park::device_placement;

void BM_Step(benchmark::State& state, const std::string& fields, bool random) {
  const auto config =
      parse_config<DevicePlacementConfig>(parse_text("device_placement(" + fields + ")"));
  const Graph graph = prepared_graph(config);
  Cluster cluster;
  cluster.resize(static_cast<std::size_t>(config.devices));
  cluster.bytes_per_s.assign(cluster.bytes_per_s.size(), config.bytes_per_s);
  cluster.latency_s.assign(cluster.latency_s.size(), config.latency_s);
  Simulator simulator;
  simulator.load(graph, cluster, Order::rank);
  Placement placement;
  place_by_work(simulator, placement);
  Rng rng(1);
  if (random)
    for (std::int32_t& d : placement) d = static_cast<std::int32_t>(rng.below(cluster.size()));
  for (auto _ : state) benchmark::DoNotOptimize(simulator.step_s(placement));
  state.counters["operations"] = static_cast<double>(graph.size());
  state.counters["steps_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Step, inception, "graph=inception_v3", false);
BENCHMARK_CAPTURE(BM_Step, inception_random, "graph=inception_v3", true);
BENCHMARK_CAPTURE(BM_Step, inception_training, "graph=inception_v3,training=true", false);
BENCHMARK_CAPTURE(BM_Step, lstm_training, "graph=lstm,training=true,fuse=never", false);
BENCHMARK_CAPTURE(BM_Step, lstm_training_random, "graph=lstm,training=true,fuse=never", true);
BENCHMARK_CAPTURE(BM_Step, lstm_training_fused, "graph=lstm,training=true", false);

}  // namespace
