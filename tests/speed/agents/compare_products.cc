// The product of a tile of eight rows with a layer of a perceptron, by the libraries that Debian has,
// beside Park's kernel: all with AVX2. Libraries that choose by the processor need the variables
// DNNL_MAX_CPU_ISA=AVX2 OPENBLAS_CORETYPE=Haswell LIBXSMM_TARGET=hsw OMP_NUM_THREADS=1. Built where
// the libraries are (scripts/setup.sh compare). The first call of each is not measured: it compiles.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <libxsmm.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>
#include <string>
#include <vector>
#include <xsimd/xsimd.hpp>

#include "agents/net/mlp_kernels.h"

namespace park::agents {
namespace {

constexpr std::int64_t kRows = 8;  // of a tile of PackedMlp

/// y [kRows, width] = x [kRows, in] weights [in, width] + bias [width], rows without gaps.
struct Layer {
  std::int64_t in, width;
  std::vector<float> x, weights, bias, y;

  Layer(std::int64_t in_, std::int64_t width_)
      : in(in_),
        width(width_),
        x(size(kRows * in)),
        weights(size(in * width)),
        bias(size(width), 1),
        y(size(kRows * width)) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 5) - 2;
  }
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
};
using Product_of = std::function<std::function<void()>(Layer&)>;

std::function<void()> park_product(Layer& l) {
  use_instruction_set("avx2");
  return [&l] {
    product({l.x.data(), l.weights.data(), l.bias.data(), l.in, l.in, l.width}, kRows, l.y.data());
  };
}

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Tile = Eigen::Matrix<float, kRows, Eigen::Dynamic, Eigen::RowMajor>;

std::function<void()> eigen_product(Layer& l) {
  return [&l] {
    Eigen::Map<Tile> y(l.y.data(), kRows, l.width);
    y.rowwise() = Eigen::Map<const Eigen::RowVectorXf>(l.bias.data(), l.width);
    y.noalias() += Eigen::Map<const Tile>(l.x.data(), kRows, l.in) *
                   Eigen::Map<const Matrix>(l.weights.data(), l.in, l.width);
  };
}

void begin_with_bias(Layer& l) {
  for (std::int64_t r = 0; r < kRows; ++r)
    std::copy(l.bias.begin(), l.bias.end(), l.y.begin() + r * l.width);
}

std::function<void()> openblas_product(Layer& l) {
  return [&l] {
    begin_with_bias(l);
    const auto in = static_cast<int>(l.in), width = static_cast<int>(l.width);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kRows, width, in, 1, l.x.data(), in,
                l.weights.data(), width, 1, l.y.data(), width);
  };
}

/// Its matrices have columns one after the other: y^T = weights^T x^T.
std::function<void()> libxsmm_product(Layer& l) {
  const libxsmm_mmfunction<float> kernel(LIBXSMM_GEMM_FLAG_NONE, static_cast<int>(l.width), kRows,
                                         static_cast<int>(l.in), 1, 1);
  if (!kernel) throw std::runtime_error("libxsmm has no kernel");
  return [&l, kernel] {
    begin_with_bias(l);
    kernel(l.weights.data(), l.x.data(), l.y.data());
  };
}

std::function<void()> onednn_product(Layer& l) {
  using namespace dnnl;
  static engine cpu(engine::kind::cpu, 0);
  static stream order(cpu);
  const auto described = [](std::int64_t rows, std::int64_t columns) {
    return memory::desc({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
  };
  const auto in_memory = [](const memory::desc& d, std::vector<float>& v) {
    return memory(d, cpu, v.data());
  };
  const auto x = described(kRows, l.in), w = described(l.in, l.width), b = described(1, l.width),
             y = described(kRows, l.width);
  const matmul done(matmul::primitive_desc(matmul::desc(x, w, b, y), cpu));
  const std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, in_memory(x, l.x)},
                                                  {DNNL_ARG_WEIGHTS, in_memory(w, l.weights)},
                                                  {DNNL_ARG_BIAS, in_memory(b, l.bias)},
                                                  {DNNL_ARG_DST, in_memory(y, l.y)}};
  return [done, arguments] {
    done.execute(order, arguments);
    order.wait();
  };
}

/// The loop of mlp_kernels.cc in the terms of xsimd: four rows of two vectors.
std::function<void()> xsimd_product(Layer& l) {
  using Lanes = xsimd::batch<float, xsimd::fma3<xsimd::avx2>>;
  constexpr std::int64_t kWidth = Lanes::size, kCount = 4;
  return [&l] {
    for (std::int64_t from = 0; from < l.width; from += 2 * kWidth)
      for (std::int64_t row = 0; row < kRows; row += kCount) {
        Lanes sum[kCount][2];
        for (auto& of_row : sum)
          for (int v = 0; v < 2; ++v)
            of_row[v] = Lanes::load_unaligned(l.bias.data() + from + v * kWidth);
        for (std::int64_t i = 0; i < l.in; ++i) {
          const float* const w = l.weights.data() + i * l.width + from;
          const Lanes first = Lanes::load_unaligned(w), second = Lanes::load_unaligned(w + kWidth);
          for (std::int64_t r = 0; r < kCount; ++r) {
            const Lanes one(l.x[static_cast<std::size_t>((row + r) * l.in + i)]);
            sum[r][0] = xsimd::fma(one, first, sum[r][0]);
            sum[r][1] = xsimd::fma(one, second, sum[r][1]);
          }
        }
        for (std::int64_t r = 0; r < kCount; ++r)
          for (int v = 0; v < 2; ++v)
            sum[r][v].store_unaligned(l.y.data() + (row + r) * l.width + from + v * kWidth);
      }
  };
}

void BM_Product(benchmark::State& state, const Product_of& of, std::int64_t in,
                std::int64_t width) {
  Layer l(in, width), expected(in, width);
  park_product(expected)();
  const std::function<void()> run = of(l);
  run();
  for (std::size_t i = 0; i < l.y.size(); ++i)
    if (std::abs(l.y[i] - expected.y[i]) > 1e-3f) return state.SkipWithError("another product");
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  state.counters["flop_per_second"] =
      benchmark::Counter(static_cast<double>(2 * kRows * in * width * state.iterations()),
                         benchmark::Counter::kIsRate);
}

const bool kRegistered = [] {
  const std::pair<const char*, Product_of> all[] = {
      {"park_highway", park_product}, {"xsimd", xsimd_product},     {"eigen", eigen_product},
      {"onednn", onednn_product},     {"libxsmm", libxsmm_product}, {"openblas", openblas_product}};
  constexpr std::int64_t kLayers[][2] = {{16, 64}, {64, 32}, {32, 16}, {16, 16}};
  for (const auto& [in, width] : kLayers)
    for (const auto& [name, of] : all)
      benchmark::RegisterBenchmark((std::string("BM_Product/") + name + '/' + std::to_string(in) +
                                    'x' + std::to_string(width))
                                       .c_str(),
                                   BM_Product, of, in, width);
  return true;
}();

}  // namespace
}  // namespace park::agents
