// What it costs to be a plug-in: load_balance and a policy of it, of the tree and as a plug-in that
// is compiled from the same sources. 256 environments of ten servers, one thread, the legality
// check on, all observations and outcomes written.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/plugins/load.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

constexpr std::uint32_t kSlots = 256;

const Registry& tree() {
  static const Registry registry = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return registry;
}

const Registry& plugin() {
  static const Registry registry = [] {
    Registry r;
    plugins::load(PARK_BALANCE).add_to(r);
    return r;
  }();
  return registry;
}

void report(benchmark::State& state, std::uint64_t steps) {
  state.counters["steps_per_second"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

/// Actions are made outside the loop: row i of round r gets server (r + i) mod 10.
void BM_Env(benchmark::State& state, const Registry& registry, const std::string& env) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = kSlots});
  Batch actions(stream->spec().action);
  actions.resize(kSlots);
  const auto server = actions.field<std::int32_t>("server");
  const auto servers = static_cast<std::size_t>(stream->spec().action.find("server")->high) + 1;
  std::size_t round = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(&stream->recv());
    ++round;
    for (std::size_t i = 0; i < kSlots; ++i)
      actions.row(i).scalar(server) = static_cast<std::int32_t>((round + i) % servers);
    stream->send(actions);
  }
  report(state, static_cast<std::uint64_t>(state.iterations()) * kSlots);
}
BENCHMARK_CAPTURE(BM_Env, tree, tree(), "load_balance");
BENCHMARK_CAPTURE(BM_Env, plugin, plugin(), "load_balance");
BENCHMARK_CAPTURE(BM_Env, tree_100, tree(), "load_balance(servers=100,interval_s=0.6)");
BENCHMARK_CAPTURE(BM_Env, plugin_100, plugin(), "load_balance(servers=100,interval_s=0.6)");

/// With a policy in the loop: what a user waits for.
void BM_Decision(benchmark::State& state, const Registry& envs, const Registry& policies) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = envs.stream("load_balance", source, {.slots = kSlots});
  test::Player player(policies, *stream, "shortest_expected_delay");
  for (auto _ : state) player.answer(stream->recv());
  report(state, static_cast<std::uint64_t>(state.iterations()) * kSlots);
}
BENCHMARK_CAPTURE(BM_Decision, tree, tree(), tree());
BENCHMARK_CAPTURE(BM_Decision, plugin_env, plugin(), tree());
BENCHMARK_CAPTURE(BM_Decision, plugin_policy, tree(), plugin());
BENCHMARK_CAPTURE(BM_Decision, plugin_both, plugin(), plugin());

}  // namespace
