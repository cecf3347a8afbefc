// Decisions per second of aqm: 64 environments, one thread, the legality check on, all observations and
// outcomes written.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

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
BENCHMARK_CAPTURE(BM_Policy, mixed_codel, "aqm", "codel");
BENCHMARK_CAPTURE(BM_Policy, mixed_pie, "aqm", "pie");
BENCHMARK_CAPTURE(BM_Policy, mixed_fq_codel, "aqm", "fq_codel");
BENCHMARK_CAPTURE(BM_Policy, heavy_codel, "aqm(preset=rfc7928-heavy)", "codel");

}  // namespace
