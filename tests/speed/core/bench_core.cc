// What the core costs by itself: random numbers, packing of rows, a pool around a trivial
// environment, and the round trip of a question through Live.
#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

#include "park/core/as_system.h"
#include "park/core/live.h"
#include "park/core/policy.h"
#include "park/core/pool.h"

namespace park {
namespace {

/// Does nothing, for ever: one number to observe, one of four values to choose.
class Idle final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "idle", .summary = "does nothing", .reference = "none"};
    s.observation.leaves = {{.name = "time", .low = 0, .high = 1e9, .unit = "s", .doc = "clock"}};
    s.action.leaves = {{.name = "choice", .dtype = DType::i32, .low = 0, .high = 3, .doc = "any"}};
    return s;
  }
  Idle() : time_(Batch(spec().observation).field<float>("time")) {}
  void reset(const Episode&, Row obs) override { obs.scalar(time_) = 0; }
  Outcome step(ConstRow, Row obs) override {
    obs.scalar(time_) = 1;
    return {0, 1};
  }
  void metrics(std::span<double>) const override {}

 private:
  Field<float> time_;
};

const RandomEpisodes kForever{Rng(1)};

void draw(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.bits());
}
BENCHMARK(draw);

void draw_exponential(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.exponential(55));
}
BENCHMARK(draw_exponential);

/// One step of each slot: slots, workers.
void pool_overhead(benchmark::State& state) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  const auto workers = static_cast<std::uint32_t>(state.range(1));
  Pool pool(Idle::spec(), [] { return std::make_unique<Idle>(); }, kForever,
            {.slots = slots, .workers = workers});
  Batch actions(pool.spec().action);
  actions.resize(slots);
  (void)pool.recv();
  for (auto _ : state) {
    pool.send(actions);
    benchmark::DoNotOptimize(pool.recv().asked.data());
  }
  state.counters["steps_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * slots, benchmark::Counter::kIsRate);
}
BENCHMARK(pool_overhead)->Args({1, 0})->Args({16, 0})->Args({256, 0})->Args({256, 2});

/// Rows of 10 kB in four ragged columns, copied into one batch of 16.
void gather_rows(benchmark::State& state) {
  Record r;
  r.groups = {{"stages", 1000}};
  for (const char* name : {"a", "b", "c", "d"})
    r.leaves.push_back({.name = name, .shape = {3}, .group = "stages"});
  Batch image(r), all(r);
  image.append().resize(image.group("stages"), 213);
  for (auto _ : state) {
    all.clear();
    for (int i = 0; i < 16; ++i) all.append().keep(std::as_const(image).row(0));
    benchmark::DoNotOptimize(all.bytes(0, 0, 16).data());
  }
  state.SetBytesProcessed(state.iterations() * 16 * 213 * 4 * 12);
}
BENCHMARK(gather_rows);

/// One question of a system on another thread and its answer: two changes of thread.
void live_round_trip(benchmark::State& state) {
  std::vector<std::unique_ptr<SystemEnv>> systems;
  systems.push_back(std::make_unique<AsSystem>(Idle::spec(), std::make_unique<Idle>()));
  Live live(Idle::spec(), std::move(systems), kForever, {});
  Batch actions(live.spec().action);
  actions.resize(1);
  (void)live.recv();
  for (auto _ : state) {
    live.send(actions);
    benchmark::DoNotOptimize(live.recv().asked.data());
  }
}
BENCHMARK(live_round_trip)->UseRealTime();

}  // namespace
}  // namespace park
