// Decisions per second of switch_scheduling with each scheduler, and slots per second: 16
// environments, one thread, the legality check on.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

void BM_Policy(benchmark::State& state, const std::string& fields, const std::string& policy) {
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream("switch_scheduling(" + fields + ")", source, {.slots = 16});
  test::Player player(registry, *stream, policy);
  std::uint64_t decisions = 0;
  for (auto _ : state) {
    const Decisions& d = stream->recv();
    decisions += d.asked.size();
    player.answer(d);
  }
  state.counters["decisions_per_second"] =
      benchmark::Counter(static_cast<double>(decisions), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Policy, random, "ports=8", "random");
BENCHMARK_CAPTURE(BM_Policy, islip, "ports=8", "islip");
BENCHMARK_CAPTURE(BM_Policy, longest_queue, "ports=8", "longest_queue");
BENCHMARK_CAPTURE(BM_Policy, maxweight, "ports=8", "maxweight");
BENCHMARK_CAPTURE(BM_Policy, maxweight_32, "ports=32", "maxweight");
// One decision per slot.
BENCHMARK_CAPTURE(BM_Policy, weights, "ports=8,action=weights", "maxweight");
BENCHMARK_CAPTURE(BM_Policy, weights_32, "ports=32,action=weights", "maxweight");

}  // namespace
