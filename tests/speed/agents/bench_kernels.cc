// The inner loops of perceptrons on tiles of eight rows, on every set of vector instructions of the
// processor: operations per second, and beside them the most that multiply-add alone reaches.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "agents/net/mlp_kernels.h"
#include "agents/net/mlp_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/speed/agents/bench_kernels.cc"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace park::agents {
namespace HWY_NAMESPACE {

/// Independent sums of products in twelve registers; returns its operations.
double peak(std::int64_t rounds, float* out) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<float, kKernelLanes> d;
  constexpr int kSums = 12;
  hn::Vec<decltype(d)> sum[kSums];
  for (auto& s : sum) s = hn::Set(d, out[0]);
  const auto factor = hn::Set(d, out[1]), term = hn::Set(d, out[2]);
  for (std::int64_t i = 0; i < rounds; ++i)
    for (auto& s : sum) s = hn::MulAdd(s, factor, term);
  auto all = sum[0];
  for (int k = 1; k < kSums; ++k) all = hn::Add(all, sum[k]);
  hn::StoreU(all, d, out);
  return 2.0 * kSums * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace park::agents
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace park::agents {
namespace {

HWY_EXPORT(peak);

constexpr std::int64_t kRows = 8;  // of a tile of PackedMlp

struct Layer {
  std::int64_t in, width;
};
// Of cluster_features(hidden1=64,hidden2=32) and of decima.
constexpr Layer kLayers[] = {{16, 64}, {64, 32}, {32, 16}, {8, 16}, {16, 16}};

void count(benchmark::State& state, double operations) {
  state.counters["flop_per_second"] = benchmark::Counter(operations, benchmark::Counter::kIsRate);
}

void BM_Peak(benchmark::State& state, const std::string& set) {
  use_instruction_set(set);
  std::vector<float> out{1, 0.5f, 0.25f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  double operations = 0;
  for (auto _ : state) operations += HWY_DYNAMIC_DISPATCH(peak)(1000, out.data());
  benchmark::DoNotOptimize(out.data());
  count(state, operations);
}

void BM_Product(benchmark::State& state, const std::string& set, Layer l) {
  use_instruction_set(set);
  const auto numbers = [](std::int64_t n) {
    return std::vector<float>(static_cast<std::size_t>(n), 0.5f);
  };
  const auto x = numbers(kRows * l.in), w = numbers(l.in * l.width), bias = numbers(l.width);
  auto y = numbers(kRows * l.width);
  for (auto _ : state) {
    product({x.data(), w.data(), bias.data(), l.in, l.in, l.width}, kRows, y.data());
    benchmark::ClobberMemory();
  }
  count(state, static_cast<double>(2 * kRows * l.in * l.width * state.iterations()));
}

void BM_OuterProduct(benchmark::State& state, const std::string& set, Layer l) {
  use_instruction_set(set);
  const auto numbers = [](std::int64_t n) {
    return std::vector<float>(static_cast<std::size_t>(n), 0.0f);
  };
  const auto x = numbers(kRows * l.in), g = numbers(kRows * l.width);
  auto w = numbers(l.in * l.width), bias = numbers(l.width);
  for (auto _ : state) {
    add_outer_product({x.data(), l.in, l.in, g.data(), l.width, kRows}, w.data(), bias.data());
    benchmark::ClobberMemory();
  }
  count(state, static_cast<double>(2 * kRows * l.in * l.width * state.iterations()));
}

const bool kRegistered = [] {
  for (const std::string& set : instruction_sets()) {
    benchmark::RegisterBenchmark(("BM_Peak/" + set).c_str(), BM_Peak, set);
    for (const Layer l : kLayers) {
      const std::string of = "/" + set + "/" + std::to_string(l.in) + "x" + std::to_string(l.width);
      benchmark::RegisterBenchmark(("BM_Product" + of).c_str(), BM_Product, set, l);
      benchmark::RegisterBenchmark(("BM_OuterProduct" + of).c_str(), BM_OuterProduct, set, l);
    }
  }
  return true;
}();

}  // namespace
}  // namespace park::agents
#endif  // HWY_ONCE
