// Steps per second of load_balance. BM_Pool is the figure of reference: 256 environments of ten
// servers, one thread, the legality check on, all observations and outcomes written.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

#include "park/core/episodes.h"
#include "park/core/pool.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/envs/load_balance/load_balance.h"
#include "park/envs/load_balance/policies.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

constexpr std::uint32_t kSlots = 256;

void report(benchmark::State& state, std::uint64_t steps) {
  state.counters["steps_per_second"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

/// Actions are made outside the loop: row i of round r gets server (r + i) mod 10.
void BM_Pool(benchmark::State& state, const std::string& env, Illegal illegal) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = slots, .illegal = illegal});
  const auto servers = static_cast<std::size_t>(stream->spec().action.find("server")->high) + 1;
  Batch actions(stream->spec().action);
  actions.resize(slots);
  const auto server = actions.field<std::int32_t>("server");
  std::size_t round = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(&stream->recv());
    ++round;
    for (std::size_t i = 0; i < slots; ++i)
      actions.row(i).scalar(server) = static_cast<std::int32_t>((round + i) % servers);
    stream->send(actions);
  }
  report(state, static_cast<std::uint64_t>(state.iterations()) * slots);
}
BENCHMARK_CAPTURE(BM_Pool, pareto, "load_balance", Illegal::error)->Arg(1)->Arg(16)->Arg(kSlots);
BENCHMARK_CAPTURE(BM_Pool, pareto_unchecked, "load_balance", Illegal::unchecked)->Arg(kSlots);
BENCHMARK_CAPTURE(BM_Pool, exponential, "load_balance(sizes=exponential)", Illegal::error)
    ->Arg(kSlots);
BENCHMARK_CAPTURE(BM_Pool, bimodal, "load_balance(sizes=bimodal)", Illegal::error)->Arg(kSlots);
BENCHMARK_CAPTURE(BM_Pool, servers_100, "load_balance(servers=100,interval_s=0.6)", Illegal::error)
    ->Arg(kSlots);

/// As BM_Pool, with a policy in the loop.
void BM_Policy(benchmark::State& state, const std::string& name) {
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream("load_balance", source, {.slots = kSlots});
  test::Player player(registry, *stream, name);
  for (auto _ : state) player.answer(stream->recv());
  report(state, static_cast<std::uint64_t>(state.iterations()) * kSlots);
}
BENCHMARK_CAPTURE(BM_Policy, round_robin, "round_robin");
BENCHMARK_CAPTURE(BM_Policy, shortest_queue, "shortest_queue");
BENCHMARK_CAPTURE(BM_Policy, shortest_expected_delay, "shortest_expected_delay");
BENCHMARK_CAPTURE(BM_Policy, power_of_d, "power_of_d");
BENCHMARK_CAPTURE(BM_Policy, size_interval, "size_interval");

/// One environment without a pool.
void BM_Env(benchmark::State& state) {
  const load_balance::LoadBalanceConfig config;
  load_balance::LoadBalance env(config);
  const Spec spec = load_balance::LoadBalance::spec(config);
  Batch observation(spec.observation), actions(spec.action);
  actions.resize(1);
  const auto server = actions.field<std::int32_t>("server");
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  std::uint64_t episode = 0;
  std::size_t step = 0;
  End end = End::terminated;
  for (auto _ : state) {
    observation.clear();
    const Row row = observation.append();
    if (end != End::none) {
      env.reset(*source.at(episode++), row);
      end = End::none;
      continue;
    }
    actions.row(0).scalar(server) = static_cast<std::int32_t>(++step % 10);
    end = env.step(std::as_const(actions).row(0), row).end;
  }
  report(state, static_cast<std::uint64_t>(state.iterations()));
}
BENCHMARK(BM_Env);

}  // namespace
