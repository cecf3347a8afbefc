// Decisions per second of dl_inference: 256 environments, one thread, the legality check on, all
// observations and outcomes written.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/speed/player.h"

namespace {

using namespace park;

constexpr std::uint32_t kSlots = 256;

void BM_Policy(benchmark::State& state, const std::string& env, const std::string& name) {
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = kSlots});
  test::Player player(registry, *stream, name);
  for (auto _ : state) player.answer(stream->recv());
  state.counters["decisions_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * kSlots, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Policy, mild_rr, "dl_inference", "rr");
BENCHMARK_CAPTURE(BM_Policy, mild_aged, "dl_inference", "aged");
BENCHMARK_CAPTURE(BM_Policy, mild_index, "dl_inference", "index");
BENCHMARK_CAPTURE(BM_Policy, mild_rr_timeout, "dl_inference", "rr(timeout_s=0.02)");
BENCHMARK_CAPTURE(BM_Policy, cpu_rr, "dl_inference(apps=cpu)", "rr");
BENCHMARK_CAPTURE(BM_Policy, hetero_bursts, "dl_inference(apps=hetero,arrivals=bursts,load=0.5)",
                  "rr");

}  // namespace
