// Chunks per second of abr. BM_Pool is the figure of reference: 256 sessions of 48 chunks and six
// rates, one thread, the legality check on, all observations and outcomes written. Traces and video
// are made here, so that the figure needs no data: 100 traces of 320 s in steps of 1 s.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "park/core/episodes.h"
#include "park/core/pool.h"
#include "park/core/registry.h"
#include "park/core/rng.h"
#include "park/envs/abr/abr.h"
#include "park/envs/abr/policies.h"
#include "park/envs/envs.h"
#include "tests/speed/player.h"

namespace {

using namespace park;
namespace fs = std::filesystem;

constexpr std::uint32_t kSlots = 256;

/// Traces and video in a folder that goes away with the process.
class Data {
 public:
  Data() : folder_(fs::temp_directory_path() / ("park-bench-abr-" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "traces");
    fs::create_directories(folder_ / "video");
    for (std::uint64_t k = 0; k < 100; ++k) {
      std::ofstream out(folder_ / "traces" / std::to_string(k));
      Rng draw = Rng(1).split(k);
      double mbps = draw.uniform(0.3, 4);
      for (int t = 0; t < 320; ++t) {
        mbps = std::clamp(mbps * std::exp(0.2 * draw.normal()), 0.1, 8.0);
        out << t << ' ' << mbps << '\n';
      }
    }
    const double kbps[] = {300, 750, 1200, 1850, 2850, 4300};
    for (std::size_t r = 0; r < 6; ++r) {
      std::ofstream out(folder_ / "video" / std::to_string(r));
      Rng draw = Rng(2);
      for (int i = 0; i < 49; ++i)
        out << std::floor(kbps[r] * 500 * draw.uniform(0.8, 1.2)) << '\n';
    }
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string env(const std::string& more = "") const {
    return "abr(traces=" + (folder_ / "traces").string() +
           ",video=" + (folder_ / "video").string() + more + ")";
  }

 private:
  fs::path folder_;
};

const Data& data() {
  static const Data made;
  return made;
}

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return all;
}

void report(benchmark::State& state, std::uint64_t chunks) {
  state.counters["chunks_per_second"] =
      benchmark::Counter(static_cast<double>(chunks), benchmark::Counter::kIsRate);
}

/// Actions are made outside the loop: row i of round r gets quality (r + i) mod 6.
void BM_Pool(benchmark::State& state, const std::string& more, Illegal illegal) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream =
      registry().stream(data().env(more), source, {.slots = slots, .illegal = illegal});
  Batch actions(stream->spec().action);
  actions.resize(slots);
  const auto quality = actions.field<std::int32_t>("quality");
  std::size_t round = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(&stream->recv());
    ++round;
    for (std::size_t i = 0; i < slots; ++i)
      actions.row(i).scalar(quality) = static_cast<std::int32_t>((round + i) % 6);
    stream->send(actions);
  }
  report(state, static_cast<std::uint64_t>(state.iterations()) * slots);
}
BENCHMARK_CAPTURE(BM_Pool, lin, "", Illegal::error)->Arg(1)->Arg(16)->Arg(kSlots);
BENCHMARK_CAPTURE(BM_Pool, unchecked, "", Illegal::unchecked)->Arg(kSlots);
BENCHMARK_CAPTURE(BM_Pool, noise, ",noise=0.1", Illegal::error)->Arg(kSlots);

/// As BM_Pool, with a policy in the loop.
void BM_Policy(benchmark::State& state, const std::string& name) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry().stream(data().env(), source, {.slots = kSlots});
  test::Player player(registry(), *stream, name);
  for (auto _ : state) player.answer(stream->recv());
  report(state, static_cast<std::uint64_t>(state.iterations()) * kSlots);
}
BENCHMARK_CAPTURE(BM_Policy, bb, "bb");
BENCHMARK_CAPTURE(BM_Policy, rb, "rb");
BENCHMARK_CAPTURE(BM_Policy, bola, "bola");
BENCHMARK_CAPTURE(BM_Policy, festive, "festive");
BENCHMARK_CAPTURE(BM_Policy, mpc, "mpc");
BENCHMARK_CAPTURE(BM_Policy, robust_mpc, "robust_mpc");

}  // namespace
