// Packets per second of the simulator, by sender and flows: 96 Mbit/s, 40 ms, a queue of 400 packets,
// an ack for every packet; time of a reset; decisions per second of the environment.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/net/simulator.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

void start(net::Simulator& sim, net::SenderKind sender, std::size_t flows) {
  constexpr double kBytesPerS = 12e6, kPacketsPerS = 8000;
  std::vector<net::FlowConfig> all(flows);
  for (std::size_t i = 0; i < flows; ++i) {
    all[i].sender = sender;
    all[i].start_s = static_cast<double>(i) * 0.01;
    all[i].packets_per_s = 0.98 * kPacketsPerS / static_cast<double>(flows);
  }
  net::QueueConfig queue;
  queue.limit_packets = 400;
  sim.reset({.bytes_per_s = kBytesPerS}, queue, {.ack_every = 1}, all, Rng(1), Rng(2));
}

void BM_Packets(benchmark::State& state, net::SenderKind sender) {
  net::Simulator sim;
  double packets = 0;
  for (auto _ : state) {
    start(sim, sender, static_cast<std::size_t>(state.range(0)));
    sim.run(20 * net::kSecond);
    for (std::uint32_t i = 0; i < sim.flows(); ++i) packets += sim.flow(i).counts().sent;
  }
  state.counters["packets_per_second"] = benchmark::Counter(packets, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Packets, paced, net::SenderKind::fixed)->Arg(1)->Arg(2)->Arg(8);
BENCHMARK_CAPTURE(BM_Packets, cubic, net::SenderKind::cubic)->Arg(1)->Arg(2)->Arg(8);
BENCHMARK_CAPTURE(BM_Packets, copa, net::SenderKind::copa)->Arg(1)->Arg(2)->Arg(8);
BENCHMARK_CAPTURE(BM_Packets, bbr, net::SenderKind::bbr)->Arg(1)->Arg(2)->Arg(8);

void BM_Reset(benchmark::State& state) {
  net::Simulator sim;
  for (auto _ : state) start(sim, net::SenderKind::cubic, 8);
}
BENCHMARK(BM_Reset);

void BM_Policy(benchmark::State& state, const std::string& env, const std::string& name) {
  constexpr std::uint32_t kSlots = 64;
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = kSlots});
  test::Player player(registry, *stream, name);
  for (auto _ : state) player.answer(stream->recv());
  state.counters["decisions_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * kSlots, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Policy, wan_copa, "congestion_control", "copa");
BENCHMARK_CAPTURE(BM_Policy, wan_random, "congestion_control", "random");
BENCHMARK_CAPTURE(BM_Policy, aurora,
                  "congestion_control(preset=aurora,action=aurora,objective=aurora)", "random");
BENCHMARK_CAPTURE(BM_Policy, four_own, "congestion_control(own=4)", "copa");

}  // namespace
