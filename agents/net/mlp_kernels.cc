// The inner loops of perceptrons with Google Highway. The part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE is compiled once for each set of vector instructions: foreach_target.h reads
// this file again for each. What is behind it chooses by the processor. A block of sums stays in
// registers: sixteen vectors of them where there are 32 registers, else eight, as many as two
// pipelines of four steps need. PackedMlp calls it.
#include "agents/net/mlp_kernels.h"

#include "agents/net/mlp_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "agents/net/mlp_kernels.cc"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace park::agents {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, kKernelLanes>;
using Lanes = hn::Vec<Tag>;
constexpr std::int64_t kWidth = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
constexpr int kRegisters = HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64 ? 32 : 16;
constexpr int kRows = kRegisters / 4;

/// y[r] = first[r] + sum over k of x[r, k] w[k], rows of `width` numbers.
struct Sums {
  const float* first;
  std::int64_t first_stride;  // 0: the same row for all
  const float* x;
  std::int64_t row_stride, step_stride;  // of x, from r to r + 1 and from k to k + 1
  const float* w;
  std::int64_t steps, width;
};

/// Columns from .. from + kVectors * kWidth of rows row .. row + kCount.
template <int kCount, int kVectors>
HWY_INLINE void block(const Sums& p, std::int64_t row, std::int64_t from, float* y) {
  const Tag d;
  Lanes sum[kCount][kVectors];
  for (int r = 0; r < kCount; ++r)
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = hn::LoadU(d, p.first + (row + r) * p.first_stride + from + v * kWidth);
  const float* x = p.x + row * p.row_stride;
  for (std::int64_t k = 0; k < p.steps; ++k, x += p.step_stride) {
    Lanes w[kVectors];
    for (int v = 0; v < kVectors; ++v) w[v] = hn::LoadU(d, p.w + k * p.width + from + v * kWidth);
    for (int r = 0; r < kCount; ++r) {
      const Lanes one = hn::Set(d, x[r * p.row_stride]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(one, w[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kCount; ++r)
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(sum[r][v], d, y + (row + r) * p.width + from + v * kWidth);
}

template <int kVectors>
HWY_INLINE void blocks(const Sums& p, std::int64_t rows, std::int64_t from, float* y) {
  std::int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) block<kRows, kVectors>(p, r, from, y);
  for (; r + kRows / 2 <= rows; r += kRows / 2) block<kRows / 2, kVectors>(p, r, from, y);
  for (; r < rows; ++r) block<1, kVectors>(p, r, from, y);
}

void add_up(const Sums& p, std::int64_t rows, float* y) {
  std::int64_t from = 0;
  for (; from + 2 * kWidth <= p.width; from += 2 * kWidth) blocks<2>(p, rows, from, y);
  for (; from < p.width; from += kWidth) blocks<1>(p, rows, from, y);
}

void multiply(const Product& p, std::int64_t rows, float* y) {
  add_up({.first = p.bias,
          .first_stride = 0,
          .x = p.x,
          .row_stride = p.stride,
          .step_stride = 1,
          .w = p.weights,
          .steps = p.in,
          .width = p.width},
         rows, y);
}

void add_outer(const OuterProduct& p, float* weights, float* bias) {
  add_up({.first = weights,
          .first_stride = p.width,
          .x = p.x,
          .row_stride = 1,
          .step_stride = p.stride,
          .w = p.g,
          .steps = p.rows,
          .width = p.width},
         p.in, weights);
  const Tag d;
  for (std::int64_t o = 0; o < p.width; o += kWidth) {
    Lanes sum = hn::LoadU(d, bias + o);
    for (std::int64_t r = 0; r < p.rows; ++r)
      sum = hn::Add(sum, hn::LoadU(d, p.g + r * p.width + o));
    hn::StoreU(sum, d, bias + o);
  }
}

void rectify_rows(std::int64_t n, float slope, float* y) {
  const Tag d;
  const Lanes s = hn::Set(d, slope), zero = hn::Zero(d);
  for (std::int64_t i = 0; i < n; i += kWidth) {
    const Lanes v = hn::LoadU(d, y + i);
    hn::StoreU(hn::IfThenElse(hn::Gt(v, zero), v, hn::Mul(s, v)), d, y + i);
  }
}

void rectify_rows_back(std::int64_t n, float slope, const float* y, float* gradient) {
  const Tag d;
  const Lanes s = hn::Set(d, slope), zero = hn::Zero(d);
  for (std::int64_t i = 0; i < n; i += kWidth) {
    const Lanes g = hn::LoadU(d, gradient + i);
    const auto positive = hn::Gt(hn::LoadU(d, y + i), zero);
    hn::StoreU(hn::IfThenElse(positive, g, hn::Mul(s, g)), d, gradient + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace park::agents
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <array>
#include <cstdlib>
#include <utility>

#include "park/core/error.h"

namespace park::agents {
namespace {

HWY_EXPORT(multiply);
HWY_EXPORT(add_outer);
HWY_EXPORT(rectify_rows);
HWY_EXPORT(rectify_rows_back);

constexpr std::array<std::pair<std::int64_t, const char*>, 6> kNames{{{HWY_AVX3, "avx512"},
                                                                      {HWY_AVX2, "avx2"},
                                                                      {HWY_SSE4, "sse4"},
                                                                      {HWY_NEON, "neon"},
                                                                      {HWY_EMU128, "scalar"},
                                                                      {HWY_SCALAR, "scalar"}}};

/// Those compiled for that the processor has, also where another set is in use.
std::int64_t targets_of_processor() {
  static const std::int64_t all = hwy::SupportedTargets() & HWY_TARGETS;
  return all;
}

void use(std::int64_t target) {
  static_cast<void>(targets_of_processor());  // before they are restricted
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const auto& [target, name] : kNames)
    if ((targets_of_processor() & target) != 0) names.emplace_back(name);
  return names;
}

std::string instruction_set() {
  for (const auto& [target, name] : kNames)
    if ((hwy::SupportedTargets() & HWY_TARGETS & target) != 0) return name;
  return kNames.back().second;
}

void use_instruction_set(const std::string& name) {
  for (const auto& [target, known] : kNames)
    if (name == known && (targets_of_processor() & target) != 0) return use(target);
  std::string all;
  for (const std::string& known : instruction_sets()) all += (all.empty() ? "" : ", ") + known;
  throw Error(Errc::invalid_config, "instruction set '" + name + "': this processor has " + all);
}

void use_wanted_instruction_set() {
  if (const char* const name = std::getenv("PARK_INSTRUCTION_SET")) use_instruction_set(name);
}

void product(const Product& p, std::int64_t rows, float* y) {
  HWY_DYNAMIC_DISPATCH(multiply)(p, rows, y);
}
void add_outer_product(const OuterProduct& p, float* weights, float* bias) {
  HWY_DYNAMIC_DISPATCH(add_outer)(p, weights, bias);
}
void rectify(std::int64_t n, float slope, float* y) {
  HWY_DYNAMIC_DISPATCH(rectify_rows)(n, slope, y);
}
void rectify_back(std::int64_t n, float slope, const float* y, float* gradient) {
  HWY_DYNAMIC_DISPATCH(rectify_rows_back)(n, slope, y, gradient);
}

}  // namespace park::agents
#endif  // HWY_ONCE
