// Simulations per second of one ngspice process: random designs of each circuit under nominal conditions, none
// of them twice.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/envs/circuit/simulator.h"

namespace {

using namespace park;
using namespace park::circuit;

void BM_Simulation(benchmark::State& state, const Topology& circuit) {
  try {
    static std::uint64_t begun = 0;  // results are remembered: each call has designs of its own
    Simulator simulator(circuit, 60);
    Rng rng(++begun);
    Sizes sizes{};
    Simulated result;
    std::uint64_t failures = 0;
    for (auto _ : state) {
      for (std::size_t p = 0; p < kParameters; ++p)
        sizes[p] = circuit.parameters[p].value(rng.uniform());
      simulator.run(sizes, {}, result);
      failures += result.failure != Failure::none;
    }
    state.counters["simulations_per_second"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    state.counters["failed"] = static_cast<double>(failures);
  } catch (const Error& e) {
    state.SkipWithError(e.what());
  }
}
BENCHMARK_CAPTURE(BM_Simulation, transimpedance, transimpedance())->UseRealTime();
BENCHMARK_CAPTURE(BM_Simulation, op_amp, op_amp())->UseRealTime();

}  // namespace
