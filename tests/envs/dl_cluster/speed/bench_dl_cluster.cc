// Moves per second of dl_cluster, of one thread with the legality check on and all observations and
// outcomes written. BM_Pool is the figure of reference: the 60 jobs of the default configuration.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/dl_cluster/layout.h"
#include "park/envs/envs.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

const std::string kAllReduce = "dl_cluster(model=allreduce,jobs=60)";

void report(benchmark::State& state, std::uint64_t moves) {
  state.counters["moves_per_second"] =
      benchmark::Counter(static_cast<double>(moves), benchmark::Counter::kIsRate);
}

/// Row i of round r takes one of its moves, with all of them in turn.
void BM_Pool(benchmark::State& state, const std::string& env) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = slots});
  const auto layout = bind_layout<dl_cluster::ClusterLayout>(stream->spec());
  Batch actions(stream->spec().action);
  actions.resize(slots);
  std::size_t round = 0;
  for (auto _ : state) {
    const Decisions& d = stream->recv();
    ++round;
    for (std::size_t i = 0; i < slots; ++i) {
      const std::size_t moves = d.observation.row(i).count(layout.moves);
      actions.row(i).scalar(layout.move) = static_cast<std::int32_t>((round + i) % moves);
    }
    stream->send(actions);
  }
  report(state, static_cast<std::uint64_t>(state.iterations()) * slots);
}
BENCHMARK_CAPTURE(BM_Pool, ps, "dl_cluster")->Arg(1)->Arg(16)->Arg(256);
BENCHMARK_CAPTURE(BM_Pool, ps_compat, "dl_cluster(semantics=compat)")->Arg(16);
BENCHMARK_CAPTURE(BM_Pool, allreduce, kAllReduce)->Arg(16);

/// As BM_Pool with 16 slots, with a policy in the loop.
void BM_Policy(benchmark::State& state, const std::string& env, const std::string& name) {
  constexpr std::uint32_t kSlots = 16;
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = kSlots});
  test::Player player(registry, *stream, name);
  for (auto _ : state) player.answer(stream->recv());
  report(state, static_cast<std::uint64_t>(state.iterations()) * kSlots);
}
BENCHMARK_CAPTURE(BM_Policy, ps_random, "dl_cluster", "random");
BENCHMARK_CAPTURE(BM_Policy, ps_drf, "dl_cluster", "drf");
BENCHMARK_CAPTURE(BM_Policy, ps_optimus, "dl_cluster", "optimus");
BENCHMARK_CAPTURE(BM_Policy, ps_hull_greedy, "dl_cluster", "hull_greedy");
BENCHMARK_CAPTURE(BM_Policy, allreduce_equal_share, kAllReduce, "equal_share");
BENCHMARK_CAPTURE(BM_Policy, allreduce_knee_srsf, kAllReduce, "knee_srsf");

}  // namespace
